// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Memory decides about: how long every transient buffer lives and where it
// lies in the arena.
#ifndef ACCEL_PASSES_MEMORY_MEMORYPROBLEM_H
#define ACCEL_PASSES_MEMORY_MEMORYPROBLEM_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <utility>
#include <vector>

namespace accel {

/// A buffer of `bytes` that must keep its contents from instruction `first` to
/// instruction `last`, both included.
struct BufferLifetime {
  mlir::Operation *op = nullptr; ///< its plan.buffer
  int64_t bytes = 0;
  unsigned first = 0;
  unsigned last = 0;
  int64_t offset = -1; ///< in the arena; -1: not placed
};

/// The transient buffers of one function.
struct MemoryProblem {
  static constexpr int64_t kAlignment = 64;

  std::vector<BufferLifetime> buffers;

  /// Places every buffer: largest first, each at the lowest offset where
  /// nothing that lives at the same time lies. Quadratic in the number of
  /// buffers. Returns the bytes of the arena.
  int64_t solve();

  /// Two buffers that live at the same time and share bytes; or one that was
  /// not placed, twice. Does not trust `solve`: walks the instructions and
  /// keeps the set of what lies where.
  std::optional<std::pair<unsigned, unsigned>> findConflict() const;

  /// The end of the highest buffer.
  int64_t arenaBytes() const;
};

/// Reads lifetimes (and offsets, where there are any) from a function. A buffer
/// used inside and outside of the loop lives throughout the loop; one that
/// another lane than compute touches lives throughout the function. Of all
/// spaces, or of `space` only.
MemoryProblem readMemory(mlir::Operation *function, llvm::StringRef space = "");

/// The spaces that have an arena, and the attribute of a function that says how
/// many bytes of it the function touches.
inline constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    kArenaAttrs[] = {{"device", "plan.arena_bytes"},
                     {"shared", "plan.shared_arena_bytes"}};

} // namespace accel

#endif
