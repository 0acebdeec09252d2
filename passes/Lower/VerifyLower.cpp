// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what LowerKernels promises to code generation.
#include "passes/Analysis/KernelShape.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/RowBody.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYLOWERPASS
#include "passes/Lower/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

static LogicalResult verifyCode(func::FuncOp kernel, SymbolTable &symbols) {
  auto code =
      symbols.lookup<func::FuncOp>((kernel.getSymName() + kCodeSuffix).str());
  if (!code || code.isExternal()) {
    return kernel.emitOpError("expected its code in a function '")
           << kernel.getSymName() << kCodeSuffix << "'";
  }
  auto shape = kernel->getAttrOfType<DictionaryAttr>(kKernelAttr);
  unsigned expected = kernel.getNumArguments() + kernel.getNumResults() + 2 +
                      (shape.contains("scratch") ? 1 : 0);
  if (code.getNumArguments() != expected || code.getNumResults() != 0) {
    return code.emitOpError("expected ")
           << expected << " arguments (buffers, begin, end) and no result, got "
           << code.getFunctionType();
  }
  return success();
}

/// Kernels' code and what it calls call what is here.
static LogicalResult verifyCall(func::CallOp call, SymbolTable &symbols) {
  auto isHere = [&](StringRef name) {
    auto routine = symbols.lookup<func::FuncOp>(name);
    return routine && !routine.isExternal() && routine.isPrivate();
  };
  if (!isHere(call.getCallee())) {
    return call->emitOpError("calls out of a kernel's code");
  }
  std::string wide = getRoutineFor(call.getCallee(), kLanesOfDoubles);
  if (call->getParentOfType<linalg::GenericOp>() && !isHere(wide)) {
    return call->emitOpError("expected a function '")
           << wide << "' for vectors, got none";
  }
  return success();
}

namespace {

class VerifyLowerPass
    : public accel::impl::VerifyLowerPassBase<VerifyLowerPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    WalkResult calls = getOperation().walk([&](func::CallOp call) {
      return WalkResult(verifyCall(call, symbols));
    });
    if (calls.wasInterrupted()) {
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kKernelAttr) &&
          failed(verifyCode(function, symbols))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
