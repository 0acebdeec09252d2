// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements a sweep runs over, and the parts of buffers that they are.
#ifndef ACCEL_PASSES_LOWER_LOOPS_SWEEPWINDOWS_H
#define ACCEL_PASSES_LOWER_LOOPS_SWEEPWINDOWS_H

#include "passes/Lower/Loops/KernelEmitter.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {

/// The elements a sweep runs over: of a run that begins at position `first`,
/// `size` elements from the `inner`-th on.
struct SweepRange {
  mlir::AffineExpr first;
  int64_t run;       ///< length of the whole run, over which neighbours are
                     ///< neighbours in memory
  mlir::Value inner; ///< null: from the first
  mlir::OpFoldResult size;    ///< an index
  bool startsInFours = false; ///< whether `inner` is a multiple of four
  int64_t divisor = 1;        ///< a power of two that divides `size`
  bool isFar = false;         ///< whether caches hold none of what is read
};

/// Views of buffers with as many elements as a range has; each is made once.
/// Borrows: the emitter.
class SweepWindows {
public:
  SweepWindows(KernelEmitter &emitter, const SweepRange &range)
      : emitter(emitter), range(range) {}

  /// The place in a buffer where the range begins if position `first` of the
  /// buffer is where the run does.
  mlir::Value getPlace(mlir::AffineExpr first);
  /// The elements from there on.
  mlir::Value get(mlir::Value buffer, mlir::AffineExpr first);
  /// The elements of a buffer that holds no more than those of the sweep.
  mlir::Value getWhole(mlir::Value buffer);
  /// Elements of any buffer: a loop whose operands all have rank 0 does not say
  /// how long it is, an operand of the right size that nobody reads does.
  mlir::Value getShape();

private:
  mlir::Value viewFrom(mlir::Value buffer, mlir::OpFoldResult offset);

  KernelEmitter &emitter;
  SweepRange range;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineExpr>, mlir::Value> views;
};

} // namespace accel

#endif
