// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the buffers of a call behind views, and replaces those that are
// divided.
#include "passes/Lower/Cuda/PrivateBuffers.h"

#include "passes/Target/Cuda/CudaTarget.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

static memref::AllocaOp getAlloca(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    buffer = view.getViewSource();
  }
  return buffer.getDefiningOp<memref::AllocaOp>();
}

bool PrivateBuffers::isPrivate(Value buffer) {
  return static_cast<bool>(getAlloca(buffer));
}

Value PrivateBuffers::getDivided(Value buffer) {
  memref::AllocaOp whole = getAlloca(buffer);
  if (!whole || whole.getType().getRank() == 0) {
    return {};
  }
  Value &part = divided[whole];
  if (!part) {
    OpBuilder builder(whole);
    constexpr int64_t kChunk = kThreadElements * kWarpThreads;
    int64_t elements = whole.getType().getNumElements();
    // Of neighbours some threads have all even where a chunk is not full.
    int64_t size = elements < kChunk
                       ? llvm::divideCeil(elements, kWarpThreads)
                       : llvm::divideCeil(elements, kChunk) * kThreadElements;
    part = memref::AllocaOp::create(
        builder, whole.getLoc(),
        MemRefType::get({size}, whole.getType().getElementType()));
  }
  return part;
}

/// Erases views of `op` that nobody reads, then `op`.
static LogicalResult eraseWithViews(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    if (!isa<ViewLikeOpInterface>(user)) {
      return user->emitOpError("expected a buffer of one call to be read and "
                               "stored by the loops that warps execute, got "
                               "another use of it");
    }
    if (failed(eraseWithViews(user))) {
      return failure();
    }
  }
  op->erase();
  return success();
}

LogicalResult PrivateBuffers::eraseDivided() {
  for (auto &[whole, part] : divided) {
    if (failed(eraseWithViews(whole))) {
      return failure();
    }
  }
  return success();
}
