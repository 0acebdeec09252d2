// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses from the kernel's signature, cuts from its geometry.
#include "passes/Analysis/LaunchCheck.h"

#include "passes/Analysis/KernelOperands.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace accel;

static bool matches(Type tensor, Type buffer) {
  auto t = cast<RankedTensorType>(tensor);
  auto b = cast<MemRefType>(buffer);
  Type element = t.getElementType().isInteger(1)
                     ? IntegerType::get(tensor.getContext(), 8)
                     : t.getElementType();
  return t.getNumElements() == b.getNumElements() &&
         element == b.getElementType();
}

/// How the buffer is cut over ranks; null: it is whole.
static plan::ShardAttr getCut(Value buffer) {
  plan::BufferRange range = plan::getBufferRange(buffer);
  return range.part ? range.part : range.buffer.getShardAttr();
}

/// Whether `cut` gives each rank what the tiles touch that `shard`, a range of
/// so many tiles, gives it.
static bool isCutByTile(plan::ShardAttr cut, plan::ShardAttr shard,
                        int64_t tiles, int64_t elementsPerTile) {
  return elementsPerTile > 0 && cut.getElements() == tiles * elementsPerTile &&
         cut.getGranule() * (shard.getElements() / tiles) ==
             shard.getGranule() * elementsPerTile &&
         cut.getAxes() == shard.getAxes();
}

/// A launch over all tiles needs whole buffers.
static LogicalResult verifyWhole(plan::LaunchOp launch) {
  for (auto [i, buffer] : llvm::enumerate(launch.getBuffers())) {
    if (plan::ShardAttr cut = getCut(buffer)) {
      return launch.emitOpError("expected whole buffers for all tiles, got ")
             << "operand " << i << " cut by " << cut;
    }
  }
  return success();
}

/// A launch over a rank's tiles finds its own elements in what is cut, and
/// writes nothing else: in code that is cut as `code` says.
static LogicalResult verifyCuts(plan::LaunchOp launch, func::FuncOp kernel,
                                plan::CodeAttr code) {
  plan::ShardAttr shard = *launch.getShard();
  int64_t tiles = code.getTiles();
  // launch_c3
  if (shard.getElements() % tiles != 0 ||
      shard.getGranule() % (shard.getElements() / tiles) != 0) {
    return launch.emitOpError("expected a granule of whole tiles, got ")
           << shard.getElements() << " elements in " << tiles
           << " tiles and a granule of " << shard.getGranule();
  }
  SmallVector<KernelOperand> operands = getKernelOperands(kernel, code);
  for (auto [i, buffer, mode] :
       llvm::enumerate(launch.getBuffers(), launch.getModes())) {
    plan::ShardAttr cut = getCut(buffer);
    int64_t width = plan::getElementBytes(cast<MemRefType>(buffer.getType()));
    bool isRead = cast<IntegerAttr>(mode).getInt() ==
                  static_cast<int64_t>(plan::Access::Read);
    if (cut ? isCutByTile(cut, shard, tiles, operands[i].tileBytes / width)
            : isRead) {
      continue;
    }
    InFlightDiagnostic error = launch.emitOpError("expected operand ");
    error << i << " to be cut between the tiles of kernel '"
          << launch.getKernel() << "' as " << shard << " is, got ";
    return cut ? error << cut : error << "a whole buffer";
  }
  return success();
}

/// The workspace is as large as the code of each variant needs.
static LogicalResult verifyWorkspace(plan::LaunchOp launch,
                                     plan::CodeAttr code) {
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

static LogicalResult verifyGeometry(plan::LaunchOp launch,
                                    func::FuncOp kernel) {
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

/// What the kernel does with the buffer of operand `i` of its launches.
static plan::Access deriveAccess(func::FuncOp kernel, unsigned i) {
  unsigned arguments = kernel.getNumArguments();
  if (i < arguments) {
    return plan::Access::Read;
  }
  return kernel.getResultAttr(i - arguments, kAccumulateAttr)
             ? plan::Access::ReadWrite
             : plan::Access::Write;
}

/// Schedule and Memory order and place what accesses say, so a kernel must not
/// do anything else.
static LogicalResult verifyAccesses(plan::LaunchOp launch,
                                    func::FuncOp kernel) {
  for (auto [i, access] : llvm::enumerate(launch.getAccesses())) {
    if (i == launch.getBuffers().size()) {
      break; // the workspace, which is no operand of the kernel
    }
    plan::Access expected = deriveAccess(kernel, i);
    if (access.access != expected) {
      return launch.emitOpError("expected access ")
             << plan::stringifyAccess(expected) << " of operand " << i
             << ", which kernel '" << launch.getKernel() << "' "
             << (expected == plan::Access::Read    ? "reads"
                 : expected == plan::Access::Write ? "stores"
                                                   : "adds to")
             << ", got " << plan::stringifyAccess(access.access);
    }
  }
  return success();
}

/// Code takes results to lie apart.
static LogicalResult verifyApart(plan::LaunchOp launch, func::FuncOp kernel) {
  SmallVector<plan::BufferRange> results;
  for (Value buffer :
       launch.getBuffers().drop_front(kernel.getNumArguments())) {
    plan::BufferRange range = plan::getBufferRange(buffer);
    for (auto [i, other] : llvm::enumerate(results)) {
      if (other.buffer == range.buffer &&
          other.begin < range.begin + range.bytes &&
          range.begin < other.begin + other.bytes) {
        return launch.emitOpError("expected results of kernel '")
               << launch.getKernel() << "' that lie apart, got results " << i
               << " and " << results.size() << " over each other";
      }
    }
    results.push_back(range);
  }
  return success();
}

/// The buffers of a launch are the kernel's arguments, then its results.
LogicalResult accel::checkLaunch(plan::LaunchOp launch,
                                 const SymbolTable &symbols) {
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
  return failure(failed(verifyAccesses(launch, kernel)) ||
                 failed(verifyApart(launch, kernel)) ||
                 failed(verifyGeometry(launch, kernel)));
}
