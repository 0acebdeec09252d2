// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Differentiate: gradients for all that is trained, and
// nothing else accumulated.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/StepNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYDIFFERENTIATEPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

LogicalResult verifySignature(func::FuncOp function) {
  bool hasFailed = false;
  if (function.getNumResults() != 0) {
    hasFailed = true;
    function.emitError("expected no results of @microbatch, got ")
        << function.getNumResults();
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttrOfType<StringAttr>(i, "accel.name")) {
      hasFailed = true;
      function.emitError("expected attribute 'accel.name' on argument ")
          << i << " of @microbatch, got none";
    }
  }
  return failure(hasFailed);
}

/// Everything that is trained has a gradient; what is accumulated is trained,
/// or an accumulator.
LogicalResult verifyAccumulation(ModuleOp module, func::FuncOp function) {
  SymbolTable symbols(module);
  llvm::StringSet<> accumulated;
  bool hasFailed = false;
  function.walk([&](AccumulateOp op) {
    accumulated.insert(op.getSymbol());
    auto state = symbols.lookup<StateOp>(op.getSymbol());
    if (state && state.getKind() != StateKind::Accumulator) {
      hasFailed = true;
      op.emitError("expected a parameter or an accumulator, got state '")
          << op.getSymbol() << "' of kind "
          << stringifyStateKind(state.getKind());
    }
  });
  for (ParameterOp parameter : module.getOps<ParameterOp>()) {
    if (parameter.isAccumulated() &&
        !accumulated.contains(parameter.getSymName())) {
      hasFailed = true;
      parameter.emitError("expected a gradient of ")
          << (parameter.getTrainable() ? "trainable parameter '"
                                       : "statistic '")
          << parameter.getSymName() << "', got none";
    }
  }
  for (StringRef name : {kLossSumState, kTargetCountState}) {
    if (!accumulated.contains(name)) {
      hasFailed = true;
      function.emitError("expected '")
          << name << "' to be accumulated, got no accel.accumulate of it";
    }
  }
  return failure(hasFailed);
}

class VerifyDifferentiatePass
    : public impl::VerifyDifferentiatePassBase<VerifyDifferentiatePass> {
public:
  using VerifyDifferentiatePassBase::VerifyDifferentiatePassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>("microbatch");
    if (!function) {
      module.emitError(
          "expected a function @microbatch after Differentiate, got none");
      return signalPassFailure();
    }
    auto exponent =
        module->getAttrOfType<IntegerAttr>("accel.gradient_exponent");
    bool hasFailed = !exponent || exponent.getInt() < 0;
    if (hasFailed) {
      module.emitError("expected attribute 'accel.gradient_exponent', an "
                       "integer that is not negative, got ")
          << (exponent ? "a negative one" : "none");
    }
    hasFailed |= failed(verifySignature(function));
    hasFailed |= failed(verifyAccumulation(module, function));
    if (hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
