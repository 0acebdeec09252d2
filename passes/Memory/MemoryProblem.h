// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Memory decides about: how long every transient buffer lives and where it
// lies in the arena.
#ifndef ACCEL_PASSES_MEMORY_MEMORYPROBLEM_H
#define ACCEL_PASSES_MEMORY_MEMORYPROBLEM_H

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/StreamOrder.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace accel {

/// The first and the last instruction of a stream that use a buffer.
struct StreamUse {
  unsigned stream = 0;
  unsigned first = 0;
  unsigned last = 0;
};

/// A buffer of `bytes` that must keep its contents from instruction `first` to
/// instruction `last`, both included, in program order.
struct BufferLifetime {
  mlir::Operation *op = nullptr; ///< its plan.buffer
  int64_t bytes = 0;
  int64_t alignment = plan::kAlignment;
  unsigned first = 0;
  unsigned last = 0;
  int64_t offset = -1; ///< in the arena; -1: not placed
  bool inLoop = false; ///< used by the loop's instructions only
  llvm::SmallVector<StreamUse, 2> uses;
};

/// The transient buffers of one function.
struct MemoryProblem {
  std::vector<BufferLifetime> buffers;
  std::shared_ptr<const ScheduleProblem> schedule;
  std::shared_ptr<StreamOrder> order; ///< of `schedule`, two iterations

  /// Whether they may not share bytes: one is in use between the first and the
  /// last use of the other, or on another stream without an event between them.
  bool liveTogether(const BufferLifetime &a, const BufferLifetime &b) const;

  /// Places every buffer: largest first, each at the lowest offset where
  /// nothing that lives at the same time lies. Quadratic in the number of
  /// buffers. Returns the bytes of the arena.
  int64_t solve();

  /// The end of the highest buffer, where the next one could begin.
  int64_t arenaBytes() const;

private:
  bool isDoneBefore(const BufferLifetime &a, unsigned inA,
                    const BufferLifetime &b, unsigned inB) const;
};

/// Reads lifetimes (and offsets, where there are any) from a function. A buffer
/// used inside and outside of the loop lives throughout the loop; one that the
/// ranks of a host gather into lives throughout the function. Of all spaces, or
/// of `space` only.
MemoryProblem readMemory(mlir::Operation *function,
                         std::optional<plan::Space> space = std::nullopt);

} // namespace accel

#endif
