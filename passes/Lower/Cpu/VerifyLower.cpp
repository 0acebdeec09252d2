// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what LowerKernels promises to code generation.
#include "passes/Analysis/IterationDomain.h"
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Cpu/RowLanes.h"
#include "passes/Lower/Routine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYLOWERPASS
#include "passes/Lower/Cpu/Passes.h.inc"
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
  // A workspace is all that code may have besides.
  unsigned expected = kernel.getNumArguments() + kernel.getNumResults() + 2;
  unsigned found = code.getNumArguments();
  if ((found != expected && found != expected + 1) ||
      code.getNumResults() != 0) {
    return code.emitOpError("expected ")
           << expected
           << " arguments (buffers, begin, end), perhaps a workspace, and no "
              "result, got "
           << code.getFunctionType();
  }
  return success();
}

/// The memory that `value` is a view of.
static Value getMemory(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    value = view.getViewSource();
  }
  return value;
}

namespace {

/// Which arguments functions write through, themselves or by what they call.
class WrittenArguments {
public:
  explicit WrittenArguments(SymbolTable &symbols) : symbols(symbols) {}

  /// The operation that writes through each argument of `function`; null: none
  /// does.
  ArrayRef<Operation *> get(func::FuncOp function) {
    auto [known, isNew] = writers.try_emplace(function);
    if (!isNew) {
      return known->second;
    }
    SmallVector<Operation *> found(function.getNumArguments());
    auto mark = [&](Value memory, Operation *op) {
      auto argument = dyn_cast<BlockArgument>(getMemory(memory));
      if (argument && argument.getOwner()->getParentOp() == function) {
        found[argument.getArgNumber()] = op;
      }
    };
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        SmallVector<Operation *> inner(get(callee));
        for (auto [operand, writer] : llvm::zip(call.getOperands(), inner)) {
          if (writer) {
            mark(operand, op);
          }
        }
        return;
      }
      // A hint claims effects, so that it stays where it is.
      if (isa<memref::PrefetchOp>(op)) {
        return;
      }
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      for (OpOperand &operand : op->getOpOperands()) {
        if (effects && isa<MemRefType>(operand.get().getType()) &&
            effects.getEffectOnValue<MemoryEffects::Write>(operand.get())) {
          mark(operand.get(), op);
        }
      }
    });
    return writers[function] = std::move(found);
  }

private:
  SymbolTable &symbols;
  DenseMap<Operation *, SmallVector<Operation *>> writers;
};

} // namespace

/// A launch says of the kernel's parameters that they are read. Requires: every
/// call is of a function that is here.
static LogicalResult verifyReads(func::FuncOp kernel, SymbolTable &symbols,
                                 WrittenArguments &written) {
  auto code =
      symbols.lookup<func::FuncOp>((kernel.getSymName() + kCodeSuffix).str());
  ArrayRef<Operation *> writers = written.get(code);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (writers[i]) {
      return writers[i]->emitOpError("writes through parameter ")
             << i << " of kernel '" << kernel.getSymName()
             << "', which its launches declare as read";
    }
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
    WrittenArguments written(symbols);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kKernelAttr) &&
          (failed(verifyCode(function, symbols)) ||
           failed(verifyReads(function, symbols, written)))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
