// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a warp keeps for itself.
#ifndef ACCEL_PASSES_LOWER_CUDA_PRIVATEBUFFERS_H
#define ACCEL_PASSES_LOWER_CUDA_PRIVATEBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace accel {

/// Elements of a chunk that a thread takes: as many as its longest access has
/// floats.
inline constexpr int64_t kThreadElements = 4;

/// The buffers of a kernel's call, which each thread has for itself. One of
/// rank 1 is divided: a thread has room for its own elements only, one after
/// the other, and so in registers.
class PrivateBuffers {
public:
  /// Whether `buffer` is memory of the call, or a view of it.
  static bool isPrivate(mlir::Value buffer);
  /// What takes the place of the divided buffer that `buffer` is a view of;
  /// null if it is none.
  mlir::Value getDivided(mlir::Value buffer);
  /// Removes what has been replaced; an error where something else uses it.
  mlir::LogicalResult eraseDivided();

private:
  llvm::MapVector<mlir::Operation *, mlir::Value> divided;
};

} // namespace accel

#endif
