// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of a function lie.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_VALUEBUFFERS_H
#define ACCEL_PASSES_FUSE_BUFFERS_VALUEBUFFERS_H

#include "passes/Fuse/Buffers/BufferDeclarations.h"

namespace accel {

/// The buffer of each value that was produced, and how its elements are cut
/// over ranks.
/// Borrows: the declarations.
class ValueBuffers {
public:
  explicit ValueBuffers(BufferDeclarations &declarations)
      : declarations(declarations) {}

  /// `value` lies in `buffer`; with `shard`, a rank has its own elements of it.
  void set(mlir::Value value, mlir::Value buffer, plan::ShardAttr shard = {});

  /// The buffer of `value`, also of a constant and of a view that is a
  /// contiguous part of another value; an error at any other view.
  llvm::FailureOr<mlir::Value> get(mlir::Value value);
  /// What `set` was told; null if nothing.
  mlir::Value lookup(mlir::Value value) const { return buffers.lookup(value); }
  plan::ShardAttr getShard(mlir::Value value) const {
    return shards.lookup(value);
  }

private:
  BufferDeclarations &declarations;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Value, plan::ShardAttr> shards;
};

} // namespace accel

#endif
