// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sites, their names, and the rules that exclude some.
#include "passes/Precision/PrecisionSites.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/ErrorCodes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace accel;

bool accel::isPrecisionSite(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  bool isSite = gather ? bool(getParameterRead(gather.getTable()))
                       : isa<MatmulOp, AttentionOp, AttentionGradOp>(op);
  return isSite && llvm::all_of(getLowOperands(op), [](OpOperand *operand) {
           return elementTypeOf(operand->get()).isF32();
         });
}

SmallVector<OpOperand *> accel::getLowOperands(Operation *site) {
  return llvm::TypeSwitch<Operation *, SmallVector<OpOperand *>>(site)
      .Case([](MatmulOp op) {
        return SmallVector<OpOperand *>{&op.getLhsMutable(),
                                        &op.getRhsMutable()};
      })
      .Case([](GatherOp op) {
        return SmallVector<OpOperand *>{&op.getTableMutable()};
      })
      .Case([](AttentionOp op) {
        return SmallVector<OpOperand *>{
            &op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()};
      })
      .Case([](AttentionGradOp op) {
        return SmallVector<OpOperand *>{
            &op.getResultGradientMutable(), &op.getQueryMutable(),
            &op.getKeyMutable(), &op.getValueMutable(), &op.getResultMutable()};
      });
}

Value accel::getStoredValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, TransposeOp, SliceOp, SplitOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

ReadOp accel::getParameterRead(Value value) {
  return getStoredValue(value).getDefiningOp<ReadOp>();
}

PrecisionSites::PrecisionSites(func::FuncOp microbatch)
    : microbatch(microbatch) {
  microbatch.walk([&](Operation *op) {
    if (isPrecisionSite(op)) {
      sites.push_back(op);
    }
  });
}

/// The names in `location`, those of ONNX nodes among them.
static void collectNames(Location location, SmallVectorImpl<StringRef> &names) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](NameLoc name) {
        names.push_back(name.getName());
        collectNames(name.getChildLoc(), names);
      })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations()) {
          collectNames(part, names);
        }
      })
      .Case([&](CallSiteLoc call) { collectNames(call.getCallee(), names); });
}

SmallVector<StringRef> PrecisionSites::getNames(Operation *site) const {
  SmallVector<StringRef> names;
  for (OpOperand *operand : getLowOperands(site)) {
    if (ReadOp read = getParameterRead(operand->get())) {
      names.push_back(read.getSymbol());
    }
  }
  collectNames(site->getLoc(), names);
  return names;
}

namespace {

struct PrecisionRule {
  bool includes;
  std::string pattern;
  llvm::Regex regex;
  bool hasMatched = false;

  /// As it was written on the command line.
  std::string getText() const {
    return (includes ? "--precision-include='" : "--precision-exclude='") +
           pattern + "'";
  }
};

} // namespace

static FailureOr<std::vector<PrecisionRule>>
parseRules(Location loc, ArrayRef<std::string> rules) {
  std::vector<PrecisionRule> parsed;
  for (StringRef rule : rules) {
    auto [kind, pattern] = rule.split('=');
    llvm::Regex regex(pattern);
    std::string problem;
    if (kind != "include" && kind != "exclude") {
      problem = "it begins with neither include= nor exclude=";
    } else if (pattern.empty()) {
      problem = "the pattern is empty";
    } else {
      regex.isValid(problem);
    }
    if (!problem.empty()) {
      return emitCodedError(loc, codes::Precision)
             << "rule '" << rule
             << "': expected include=REGEX or exclude=REGEX, got one that "
                "cannot be read: "
             << problem;
    }
    parsed.push_back({kind == "include", pattern.str(), std::move(regex)});
  }
  return parsed;
}

/// Fails after an error for each of `rules` that has matched nothing.
static LogicalResult reportUnmatched(Location loc,
                                     ArrayRef<PrecisionRule> rules) {
  bool hasFailed = false;
  for (const PrecisionRule &rule : rules) {
    if (!rule.hasMatched) {
      hasFailed = true;
      emitCodedError(loc, codes::Precision)
          << rule.getText()
          << ": expected a pattern that matches the name of a parameter or a "
             "node of a product, an attention or an embedding, got one that "
             "matches none (--compile-to=differentiate prints parameters)";
    }
  }
  return failure(hasFailed);
}

LogicalResult PrecisionSites::apply(ArrayRef<std::string> rules) {
  FailureOr<std::vector<PrecisionRule>> parsed =
      parseRules(microbatch.getLoc(), rules);
  if (failed(parsed)) {
    return failure();
  }
  // Gradients are where their product is: they share its location.
  llvm::MapVector<Location, SmallVector<Operation *>> groups;
  for (Operation *site : sites) {
    groups[site->getLoc()].push_back(site);
  }
  for (auto &[location, group] : groups) {
    PrecisionRule *last = nullptr;
    for (PrecisionRule &rule : *parsed) {
      bool matches = llvm::any_of(group, [&](Operation *site) {
        return llvm::any_of(getNames(site), [&](StringRef name) {
          return rule.regex.match(name);
        });
      });
      if (matches) {
        rule.hasMatched = true;
        last = &rule;
      }
    }
    bool isExcluded =
        last ? !last->includes : !parsed->empty() && parsed->front().includes;
    if (isExcluded) {
      std::string reason =
          last ? last->getText() : "no --precision-include matches it";
      for (Operation *site : group) {
        reasons[site] = reason;
      }
    }
  }
  return reportUnmatched(microbatch.getLoc(), *parsed);
}
