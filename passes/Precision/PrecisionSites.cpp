// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sites, their names, and the rules that exclude some.
#include "passes/Precision/PrecisionSites.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/NameRules.h"
#include "passes/ErrorCodes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

bool accel::isPrecisionSite(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  bool isSite = gather ? bool(getParameterRead(gather.getTable()))
                       : isa<MatmulOp, GroupedMatmulOp, GroupedOuterOp,
                             AttentionOp, AttentionGradOp>(op);
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
      .Case([](GroupedMatmulOp op) {
        return SmallVector<OpOperand *>{&op.getRowsMutable(),
                                        &op.getWeightsMutable()};
      })
      .Case([](GroupedOuterOp op) {
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

bool accel::isStoredView(Operation *op) {
  return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, SplitOp, WindowsOp>(
      op);
}

Value accel::getStoredValue(Value value) {
  while (isStoredView(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return value;
}

Operation *accel::cloneView(Operation *view, Value source) {
  OpBuilder builder(view->getContext());
  builder.setInsertionPointAfter(view);
  IRMapping operands;
  operands.map(view->getOperand(0), source);
  Operation *clone = builder.clone(*view, operands);
  for (Value result : clone->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.clone(elementTypeOf(source)));
  }
  return clone;
}

void accel::collectReaders(Value value, llvm::SetVector<Operation *> &readers) {
  for (Operation *user : value.getUsers()) {
    if (!isStoredView(user)) {
      readers.insert(user);
      continue;
    }
    for (Value result : user->getResults()) {
      collectReaders(result, readers);
    }
  }
}

void accel::collectProducers(SmallVector<Operation *> open,
                             llvm::DenseSet<Operation *> &producers) {
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && producers.insert(producer).second) {
        open.push_back(producer);
      }
    }
  }
}

ReadOp accel::getParameterRead(Value value) {
  return getStoredValue(value).getDefiningOp<ReadOp>();
}

PrecisionSites::PrecisionSites(func::FuncOp microbatch)
    : microbatch(microbatch) {
  microbatch.walk([&](Operation *op) {
    if (!isPrecisionSite(op)) {
      return;
    }
    sites.push_back(op);
    if (auto product = dyn_cast<MatmulOp>(op); product && product.getExact()) {
      reasons[op] = "it is how an operator is computed, and no layer";
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

LogicalResult PrecisionSites::apply(ArrayRef<std::string> texts) {
  auto emitError = [&] {
    return emitCodedError(microbatch.getLoc(), codes::Precision);
  };
  FailureOr<NameRules> rules = NameRules::parse(
      texts, {"include", "exclude", "--precision-"}, emitError);
  if (failed(rules)) {
    return failure();
  }
  // Gradients are where their product is: they share its location.
  llvm::MapVector<Location, SmallVector<Operation *>> groups;
  for (Operation *site : sites) {
    groups[site->getLoc()].push_back(site);
  }
  for (auto &[location, group] : groups) {
    SmallVector<StringRef> names;
    for (Operation *site : group) {
      llvm::append_range(names, getNames(site));
    }
    const NameRule *last = rules->match(names);
    for (Operation *site : group) {
      if (!rules->isChosen(last)) {
        reasons.try_emplace(site, last ? last->text
                                       : "no --precision-include matches it");
      }
    }
  }
  return rules->verifyMatched([&](const NameRule &rule) {
    emitError() << rule.text
                << ": expected a pattern that matches the name of a parameter "
                   "or a node of a product, an attention or an embedding, got "
                   "one that matches none (--compile-to=differentiate prints "
                   "parameters)";
  });
}
