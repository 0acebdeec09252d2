// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the `plan` dialect and what every instruction can tell
// about itself.
#ifndef ACCEL_DIALECTS_PLAN_IR_PLANOPS_H
#define ACCEL_DIALECTS_PLAN_IR_PLANOPS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Plan/IR/PlanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/IR/PlanAttrs.h.inc"

#include <utility>

namespace accel::plan {

/// What buffers, constants and weights begin at multiples of at least, and
/// workspaces and images are multiples of, in bytes: a line of the cache, and a
/// vector.
inline constexpr int64_t kAlignment = 64;

/// The attribute of kernels with the entry of each variant, by its name: code
/// with its geometry (#plan.code) or a call of a library (#plan.library_call).
inline constexpr llvm::StringLiteral kCodeAttr = "plan.code";
/// A unit attribute of kernels whose code runs with subnormal numbers flushed
/// to zero.
inline constexpr llvm::StringLiteral kFlushesAttr = "plan.flushes_subnormals";

/// Arguments of every instruction: the stream that executes it, the events that
/// it waits for and signals, its phase, its cost, the layer that it works for,
/// that all gradients of the step are complete in front of it, and which
/// infinities it may write although nothing is wrong.
inline constexpr llvm::StringLiteral kStreamAttr = "stream";
inline constexpr llvm::StringLiteral kWaitsAttr = "waits";
inline constexpr llvm::StringLiteral kSignalsAttr = "signals";
inline constexpr llvm::StringLiteral kPhaseAttr = "phase";
inline constexpr llvm::StringLiteral kCostAttr = "cost";
inline constexpr llvm::StringLiteral kLayerAttr = "layer";
inline constexpr llvm::StringLiteral kGradientsCompleteAttr =
    "gradients_complete";
inline constexpr llvm::StringLiteral kInfinitiesAttr = "infinities";

/// Arguments of every collective: the segment whose slot it moves, its number
/// among those of its function, and how many bytes a rank sends.
inline constexpr llvm::StringLiteral kSegmentAttr = "segment";
inline constexpr llvm::StringLiteral kSequenceAttr = "sequence";
inline constexpr llvm::StringLiteral kBytesSentAttr = "bytes_sent";

/// Attributes of the module: where the transient memory of the program is
/// fullest (#plan.peak), and which function gathers buckets into the most
/// shared memory; without it none does.
inline constexpr llvm::StringLiteral kPeakAttr = "plan.peak";
inline constexpr llvm::StringLiteral kGathersMostAttr = "plan.gathers_most";

/// The spaces that have an arena, and the attribute of a function that says how
/// many bytes of it the function touches.
inline constexpr std::pair<Space, llvm::StringLiteral> kArenaAttrs[] = {
    {Space::Device, "plan.arena_bytes"},
    {Space::Shared, "plan.shared_arena_bytes"}};

/// One access of an instruction: a buffer value (of plan.buffer, plan.view or
/// plan.part) and what is done with it.
struct BufferAccess {
  mlir::Value buffer;
  Access access;
};

/// Bytes of an element of a memref, and of a statically shaped one as a whole
/// (booleans take one byte each).
int64_t getElementBytes(mlir::MemRefType type);
int64_t getMemRefBytes(mlir::MemRefType type);

} // namespace accel::plan

#include "dialects/Plan/IR/PlanInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Plan/IR/PlanOps.h.inc"

namespace accel::plan {

/// A range of bytes of a buffer: what a buffer value stands for.
struct BufferRange {
  BufferOp buffer;
  int64_t begin = 0; ///< bytes from the buffer's start
  int64_t bytes = 0;
  /// Only this rank's part of the range is meant; null: all of it.
  ShardAttr part;
};

/// Follows views to the buffer; the value must come from plan.buffer, plan.view
/// or plan.part.
BufferRange getBufferRange(mlir::Value value);

/// The streams of a module, in its order.
class StreamList {
public:
  /// Those of the module that `inModule` is, or is in.
  explicit StreamList(mlir::Operation *inModule);

  llvm::ArrayRef<StreamOp> get() const { return streams; }
  /// The number of the stream that executes `op`: none if the module does not
  /// declare it. While no instruction names its stream, all have the first.
  std::optional<unsigned> find(InstructionOpInterface op) const;

private:
  llvm::SmallVector<StreamOp> streams;
};

} // namespace accel::plan

#endif
