// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what Fuse promises to Schedule, Memory and Lower.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Dist/IR/DistOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/GradientContents.h"
#include "passes/Analysis/KernelOperands.h"
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

bool matches(Type tensor, Type buffer) {
  auto t = cast<RankedTensorType>(tensor);
  auto b = cast<MemRefType>(buffer);
  Type element = t.getElementType().isInteger(1)
                     ? IntegerType::get(tensor.getContext(), 8)
                     : t.getElementType();
  return t.getNumElements() == b.getNumElements() &&
         element == b.getElementType();
}

/// How the buffer is cut over ranks; null: it is whole.
plan::ShardAttr getCut(Value buffer) {
  plan::BufferRange range = plan::getBufferRange(buffer);
  return range.part ? range.part : range.buffer.getShardAttr();
}

/// Whether `cut` gives each rank what the units touch that `shard`, a range of
/// so many units, gives it.
bool isCutByUnit(plan::ShardAttr cut, plan::ShardAttr shard, int64_t units,
                 int64_t elementsPerUnit) {
  return elementsPerUnit > 0 && cut.getElements() == units * elementsPerUnit &&
         cut.getGranule() * (shard.getElements() / units) ==
             shard.getGranule() * elementsPerUnit &&
         cut.getAxes() == shard.getAxes();
}

/// A launch over all units needs whole buffers.
LogicalResult verifyWhole(plan::LaunchOp launch) {
  for (auto [i, buffer] : llvm::enumerate(launch.getBuffers())) {
    if (plan::ShardAttr cut = getCut(buffer)) {
      return launch.emitOpError("expected whole buffers for all units, got ")
             << "operand " << i << " cut by " << cut;
    }
  }
  return success();
}

/// A launch over a rank's units finds its own elements in what is cut, and
/// writes nothing else: in code that is cut as `code` says.
LogicalResult verifyCuts(plan::LaunchOp launch, func::FuncOp kernel,
                         plan::CodeAttr code) {
  plan::ShardAttr shard = *launch.getShard();
  int64_t units = code.getUnits();
  // launch_c3
  if (shard.getElements() % units != 0 ||
      shard.getGranule() % (shard.getElements() / units) != 0) {
    return launch.emitOpError("expected a granule of whole units, got ")
           << shard.getElements() << " elements in " << units
           << " units and a granule of " << shard.getGranule();
  }
  SmallVector<KernelOperand> operands = getKernelOperands(kernel, code);
  for (auto [i, buffer, mode] :
       llvm::enumerate(launch.getBuffers(), launch.getModes())) {
    plan::ShardAttr cut = getCut(buffer);
    int64_t width = plan::getElementBytes(cast<MemRefType>(buffer.getType()));
    bool isRead = cast<IntegerAttr>(mode).getInt() ==
                  static_cast<int64_t>(plan::Access::Read);
    if (cut ? isCutByUnit(cut, shard, units, operands[i].unitBytes / width)
            : isRead) {
      continue;
    }
    InFlightDiagnostic error = launch.emitOpError("expected operand ");
    error << i << " to be cut between the units of kernel '"
          << launch.getKernel() << "' as " << shard << " is, got ";
    return cut ? error << cut : error << "a whole buffer";
  }
  return success();
}

/// The workspace is as large as the code of each variant needs.
LogicalResult verifyWorkspace(plan::LaunchOp launch, plan::CodeAttr code) {
  int64_t bytes = 0;
  if (Value workspace = launch.getWorkspace()) {
    bytes = plan::getMemRefBytes(cast<MemRefType>(workspace.getType()));
  }
  return bytes >= code.getWorkspace()
             ? success()
             : launch.emitOpError("expected a workspace of at least ")
                   << code.getWorkspace() << " bytes, which kernel '"
                   << launch.getKernel() << "' needs, got " << bytes;
}

LogicalResult verifyGeometry(plan::LaunchOp launch, func::FuncOp kernel) {
  if (failed(IterationDomain::get(kernel))) {
    return failure();
  }
  FailureOr<SmallVector<plan::CodeAttr>> codes = getCodeOfVariants(kernel);
  if (failed(codes)) {
    return failure();
  }
  for (plan::CodeAttr code : *codes) {
    if (failed(verifyWorkspace(launch, code)) ||
        (launch.getShard() && failed(verifyCuts(launch, kernel, code)))) {
      return failure();
    }
  }
  return launch.getShard() ? success() : verifyWhole(launch);
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
  return verifyGeometry(launch, kernel);
}

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
        failed(verifyGradientContents(symbols))) {
      signalPassFailure();
    }
  }

  /// Each state of a program has a buffer, and all its buffers have its
  /// elements.
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
      if (found == buffers.end() && !program.empty()) {
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
          if (launch && failed(verifyLaunch(launch, symbols))) {
            return failure();
          }
          return written.visit(op);
        });
    return failure(result.wasInterrupted() || failed(written.finish()));
  }
};

} // namespace
