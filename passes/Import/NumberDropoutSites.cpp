// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the probability of every dropout site and numbers the sites in graph
// order.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/NumberText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_NUMBERDROPOUTSITESPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// What `--dropout` asks for: the model's own probabilities if none is given.
struct DropoutChoice {
  std::optional<double> probability;
};

FailureOr<DropoutChoice> parseChoice(StringRef text, Operation *reportOn) {
  if (text == "model") {
    return DropoutChoice{};
  }
  if (text == "off") {
    return DropoutChoice{0.0};
  }
  double probability = 0;
  if (text.getAsDouble(probability) || !(probability >= 0 && probability < 1)) {
    reportOn->emitError(
        "--dropout: expected 'model', 'off' or a probability in [0, 1), got '")
        << text << "'";
    return failure();
  }
  return DropoutChoice{probability};
}

/// Gives a dropout or attention its probability; without one it is no site any
/// more. Returns whether it still is one.
bool applyChoice(Operation *op, const DropoutChoice &choice) {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    if (dropout.getFactor()) {
      return true;
    }
    if (choice.probability) {
      dropout.setProbability(APFloat(*choice.probability));
    }
    if (dropout.getProbability().isZero()) {
      dropout.replaceAllUsesWith(dropout.getOperand());
      dropout.erase();
      return false;
    }
    return true;
  }
  auto attention = cast<AttentionOp>(op);
  if (choice.probability) {
    attention.setProbability(APFloat(*choice.probability));
  }
  if (attention.getProbability().isZero()) {
    attention.getSamplesMutable().clear();
    attention.getSeedMutable().clear();
    attention.setSite(0);
    return false;
  }
  return true;
}

void setSite(Operation *op, int64_t site) {
  auto draw = dyn_cast<DropoutOp>(op);
  if (draw && draw.getFactor()) {
    draw.setSite(site);
    remark::analysis(op->getLoc(), remark::RemarkOpts::name("RandomNumbers")
                                       .category("accel-number-dropout-sites"))
        << remark::add("site {0}: {1} random numbers", site,
                       stringifyRandomFactor(*draw.getFactor()));
    return;
  }
  double probability = 0;
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    dropout.setSite(site);
    probability = dropout.getProbability().convertToDouble();
  } else {
    auto attention = cast<AttentionOp>(op);
    attention.setSite(site);
    probability = attention.getProbability().convertToDouble();
  }
  remark::analysis(op->getLoc(), remark::RemarkOpts::name("DropoutSite")
                                     .category("accel-number-dropout-sites"))
      << remark::add("dropout site {0}: probability {1}{2}", site,
                     toText(probability),
                     isa<AttentionOp>(op) ? ", on attention" : "");
}

class NumberDropoutSitesPass
    : public impl::NumberDropoutSitesPassBase<NumberDropoutSitesPass> {
public:
  using NumberDropoutSitesPassBase::NumberDropoutSitesPassBase;

  void runOnOperation() override {
    FailureOr<DropoutChoice> choice = parseChoice(dropout, getOperation());
    if (failed(choice)) {
      return signalPassFailure();
    }
    SmallVector<Operation *> sites;
    getOperation().walk([&](Operation *op) {
      auto attention = dyn_cast<AttentionOp>(op);
      if (isa<DropoutOp>(op) || (attention && attention.getSeed())) {
        sites.push_back(op);
      }
    });
    // What draws without dropping comes last: the sites of dropout have the
    // numbers that the module lists.
    auto isDraw = [](Operation *op) {
      auto dropout = dyn_cast<DropoutOp>(op);
      return dropout && dropout.getFactor();
    };
    llvm::stable_sort(sites, [&](Operation *a, Operation *b) {
      return !isDraw(a) && isDraw(b);
    });
    int64_t number = 0;
    for (Operation *op : sites) {
      if (applyChoice(op, *choice)) {
        setSite(op, ++number);
      }
    }
  }
};

} // namespace
} // namespace accel
