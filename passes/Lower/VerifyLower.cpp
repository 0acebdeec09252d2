// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what LowerKernels promises to code generation.
#include "passes/Analysis/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Interfaces/CallInterfaces.h"

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
  WalkResult result = code.walk([&](func::CallOp call) -> WalkResult {
    auto routine = symbols.lookup<func::FuncOp>(call.getCallee());
    bool isInside = routine && !routine.isExternal() && routine.isPrivate();
    return isInside ? WalkResult::advance()
                    : call->emitOpError("calls out of a kernel's code");
  });
  return failure(result.wasInterrupted());
}

namespace {

class VerifyLowerPass
    : public accel::impl::VerifyLowerPassBase<VerifyLowerPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kKernelAttr) &&
          failed(verifyCode(function, symbols))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
