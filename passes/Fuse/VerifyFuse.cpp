// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what Fuse promises to Schedule, Memory and Lower.
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Analysis/KernelShape.h"
#include "passes/Fuse/Passes.h"

#include "llvm/ADT/DenseSet.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYFUSEPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

bool matches(Type tensor, Type buffer) {
  auto t = cast<RankedTensorType>(tensor);
  auto b = cast<MemRefType>(buffer);
  Type element = t.getElementType().isInteger(1)
                     ? IntegerType::get(tensor.getContext(), 8)
                     : t.getElementType();
  return t.getNumElements() == b.getNumElements() &&
         element == b.getElementType();
}

/// The buffers of a launch are the kernel's parameters, then its results.
LogicalResult verifyLaunch(plan::LaunchOp launch, SymbolTable &symbols) {
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  // launch_c2
  if (!kernel || !kernel->hasAttr(kKernelAttr)) {
    return launch.emitOpError("expected a kernel named '")
           << launch.getKernel() << "'";
  }
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.append(kernel.getResultTypes().begin(), kernel.getResultTypes().end());
  if (types.size() != launch.getBuffers().size()) {
    return launch.emitOpError("expected ")
           << types.size() << " buffers for kernel '" << launch.getKernel()
           << "', got " << launch.getBuffers().size();
  }
  for (auto [i, type, buffer] : llvm::enumerate(types, launch.getBuffers())) {
    if (!matches(type, buffer.getType())) {
      return launch.emitOpError("expected a buffer for ")
             << type << " as operand " << i << " of kernel '"
             << launch.getKernel() << "', got " << buffer.getType();
    }
  }
  return success();
}

class VerifyFusePass : public accel::impl::VerifyFusePassBase<VerifyFusePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (StringRef name : {"init", "step"}) {
      auto function = symbols.lookup<func::FuncOp>(name);
      if (function && failed(verify(function, symbols))) {
        return signalPassFailure();
      }
    }
    if (failed(verifyGradientContents(symbols))) {
      signalPassFailure();
    }
  }

  static LogicalResult verify(func::FuncOp function, SymbolTable &symbols) {
    llvm::DenseSet<Operation *> written;
    WalkResult result = function.walk([&](Operation *op) -> WalkResult {
      for (Type type : op->getResultTypes()) {
        if (isa<TensorType>(type)) {
          return op->emitOpError("expected no tensor outside kernels, got ")
                 << type;
        }
      }
      auto launch = dyn_cast<plan::LaunchOp>(op);
      if (launch && failed(verifyLaunch(launch, symbols))) {
        return failure();
      }
      auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
      return instruction ? verifyWrittenBeforeRead(instruction, written)
                         : success();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult
  verifyWrittenBeforeRead(plan::InstructionOpInterface op,
                          llvm::DenseSet<Operation *> &written) {
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      bool reads = access.access != plan::Access::Write;
      if (reads && buffer.getRegion() == plan::Region::Transient &&
          !written.contains(buffer)) {
        InFlightDiagnostic error = op->emitOpError(
            "reads a transient buffer that nothing has written");
        error.attachNote(buffer.getLoc()) << "the buffer";
        return error;
      }
    }
    for (plan::BufferAccess access : op.getAccesses()) {
      if (access.access != plan::Access::Read) {
        written.insert(plan::getBufferRange(access.buffer).buffer);
      }
    }
    return success();
  }
};

} // namespace
