// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what Fuse promises to Schedule, Memory and Lower.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Dist/IR/DistOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Analysis/LaunchCheck.h"
#include "passes/Fuse/Passes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace accel {
#define GEN_PASS_DEF_VERIFYFUSEPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Which transient buffers hold something, in program order. All of a segment's
/// slot does so behind the gather in the loop that names it; all of its
/// gradient begins at zero, and a reduction in the loop must name it.
class WrittenBuffers {
public:
  LogicalResult visit(Operation *op) {
    if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
      declare(buffer);
    } else if (auto gather = dyn_cast<dist::AllGatherOp>(op)) {
      return exchange(op, gather.getSymbols());
    } else if (auto reduce = dyn_cast<dist::ReduceScatterOp>(op)) {
      return exchange(op, reduce.getSymbols());
    } else if (auto instruction = dyn_cast<plan::InstructionOpInterface>(op)) {
      return execute(instruction);
    }
    return success();
  }

  LogicalResult finish() {
    for (auto &[name, buffer] : wholes) {
      if (!exchanged.contains(buffer)) {
        return buffer.emitOpError("expected an exchange of '")
               << name.getValue() << "' in the loop, got none";
      }
    }
    return success();
  }

private:
  void declare(plan::BufferOp buffer) {
    if (buffer.getRegion() != plan::Region::Transient ||
        !buffer.getSymbolAttr()) {
      return;
    }
    wholes.insert({buffer.getSymbolAttr(), buffer});
    if (buffer.getKlass() == plan::MemoryClass::Gradients) {
      written.insert(buffer);
    }
  }

  LogicalResult exchange(Operation *op, ArrayAttr names) {
    for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
      auto whole = wholes.find(name.getAttr());
      if (whole == wholes.end()) {
        return op->emitOpError("expected a transient buffer for all of ")
               << name << ", got none";
      }
      written.insert(whole->second);
      exchanged.insert(whole->second);
    }
    return success();
  }

  LogicalResult execute(plan::InstructionOpInterface op) {
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      if (access.access != plan::Access::Write &&
          buffer.getRegion() == plan::Region::Transient &&
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

  llvm::MapVector<StringAttr, plan::BufferOp> wholes; ///< by slot
  llvm::DenseSet<Operation *> written, exchanged;
};

class VerifyFusePass : public accel::impl::VerifyFusePassBase<VerifyFusePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : getProgram(getOperation())) {
      if (failed(verify(function, symbols))) {
        return signalPassFailure();
      }
    }
    if (failed(verifyStates(getOperation())) ||
        failed(verifyOutputs(getOperation())) ||
        failed(verifyGradientContents(symbols))) {
      signalPassFailure();
    }
  }

  /// Each state of a program that has elements has a buffer, and all its
  /// buffers have its elements.
  static LogicalResult verifyStates(ModuleOp module) {
    llvm::DenseMap<StringAttr, SmallVector<plan::BufferOp, 2>> buffers;
    SmallVector<func::FuncOp> program = getProgram(module);
    for (func::FuncOp function : program) {
      function.walk([&](plan::BufferOp buffer) {
        if (buffer.getRegion() == plan::Region::Persistent) {
          buffers[buffer.getSymbolAttr()].push_back(buffer);
        }
      });
    }
    for (auto state : module.getOps<StateOp>()) {
      auto found = buffers.find(state.getSymNameAttr());
      // What has no elements lies nowhere.
      bool isEmpty =
          cast<RankedTensorType>(state.getType()).getNumElements() == 0;
      if (found == buffers.end() && !program.empty() && !isEmpty) {
        return state.emitOpError(
            "expected a persistent buffer of the state in some function, got "
            "none");
      }
      if (found != buffers.end() &&
          llvm::any_of(found->second, [&](plan::BufferOp buffer) {
            return !holds(buffer, state);
          })) {
        return state.emitOpError("expected a buffer of its elements, cut as "
                                 "`dist.held` says, got another one");
      }
    }
    return success();
  }

  /// Each output of a program that answers is written.
  static LogicalResult verifyOutputs(ModuleOp module) {
    func::FuncOp function = findFunction(module, FunctionRole::Infer);
    if (!function) {
      return success();
    }
    llvm::DenseSet<StringAttr> written;
    function.walk([&](plan::InstructionOpInterface op) {
      for (plan::BufferAccess access : op.getAccesses()) {
        plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
        if (access.access != plan::Access::Read && buffer.getSymbolAttr()) {
          written.insert(buffer.getSymbolAttr());
        }
      }
    });
    for (auto state : module.getOps<StateOp>()) {
      // What has no elements lies nowhere.
      bool isEmpty =
          cast<RankedTensorType>(state.getType()).getNumElements() == 0;
      if (state.getKind() == StateKind::Output && !isEmpty &&
          !written.contains(state.getSymNameAttr())) {
        return state.emitOpError("expected an instruction that writes the "
                                 "output, got none");
      }
    }
    return success();
  }

  /// Whether `buffer` has the elements of `state` that a rank has.
  static bool holds(plan::BufferOp buffer, StateOp state) {
    auto type = cast<MemRefType>(buffer.getType());
    auto tensor = cast<RankedTensorType>(state.getType());
    bool isPart = dist::getHolding(state) == dist::Holding::Part;
    return type.getShape() == tensor.getShape() &&
           (type.getElementType() == tensor.getElementType() ||
            (type.getElementType().isInteger(8) &&
             tensor.getElementType().isInteger(1))) &&
           isPart == bool(buffer.getShard());
  }

  static LogicalResult verify(func::FuncOp function, SymbolTable &symbols) {
    WrittenBuffers written;
    WalkResult result =
        function.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          for (Type type : op->getResultTypes()) {
            if (isa<TensorType>(type)) {
              return op->emitOpError("expected no tensor outside kernels, got ")
                     << type;
            }
          }
          auto launch = dyn_cast<plan::LaunchOp>(op);
          if (launch && failed(checkLaunch(launch, symbols))) {
            return failure();
          }
          return written.visit(op);
        });
    return failure(result.wasInterrupted() || failed(written.finish()));
  }
};

} // namespace
