// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concat kernels: the parts of every row, one after the other, each in the
// longest runs that its views allow. Where the geometry has more tiles than
// there are rows, tile t has a piece of each part of row t / pieces.
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

#include <numeric>

using namespace mlir;
using namespace accel;

/// The longest runs in which all that `tensor` is computed from can be read.
static int64_t findRun(Value tensor, int64_t run) {
  Value root = getViewRoot(tensor);
  run = getRunLength(tensor, root, run);
  Operation *op = root.getDefiningOp();
  if (run == 1 || !op || isa<ConstantOp, IotaOp>(op) ||
      getRunStride(tensor, root) == 0) {
    return run;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    int64_t width = getNumElements(gather.getResult()) /
                    getNumElements(gather.getIndices());
    return findRun(gather.getTable(), std::gcd(run, width));
  }
  for (Value operand : op->getOperands()) {
    run = getNumElements(operand) == getNumElements(root)
              ? findRun(operand, run)
              : run;
  }
  return run;
}

/// Pieces are multiples of so many elements, which vectors and warps take
/// whole.
static constexpr int64_t kGrain = 128;

namespace {

/// Where a part of a row begins in its operand and in the result.
struct Part {
  Value tensor;
  AffineExpr source, target;
  int64_t size;
};

/// Which piece of each part a tile has.
struct Piece {
  Value number; ///< null: there is one
  int64_t of = 1;

  /// The first of `count` that the piece has, and how many it has at most: a
  /// multiple of `grain`, but at the end.
  std::pair<Value, Value> cut(const IndexArithmetic &indices, int64_t count,
                              int64_t grain) const;
};

} // namespace

std::pair<Value, Value> Piece::cut(const IndexArithmetic &indices,
                                   int64_t count, int64_t grain) const {
  int64_t length = llvm::alignTo(llvm::divideCeil(count, of), grain);
  Value all = indices.index(count);
  Value first = indices.min(indices.mul(number, length), all);
  return {first, indices.min(indices.add(first, length), all)};
}

static void emitRun(KernelEmitter &emitter, const Part &part, unsigned result,
                    const Piece &piece = {}) {
  Value buffer = emitter.getResultBuffer(result);
  Storing storing = emitter.getStoring(result);
  if (part.size == 1) {
    if (Value scalar = emitter.scalarAt(part.tensor, part.source)) {
      emitter.store(scalar, buffer, part.target, storing);
    }
    return;
  }
  OpBuilder &builder = emitter.getBuilder();
  SweepRange range{part.source, part.size, Value(),
                   OpFoldResult(builder.getIndexAttr(part.size))};
  if (piece.number) {
    IndexArithmetic indices(builder, emitter.getLoc());
    auto [first, last] = piece.cut(indices, part.size, kGrain);
    range.inner = first;
    range.size = indices.sub(last, first);
  }
  Sweep sweep(emitter, range);
  if (Value lane = sweep.lane(part.tensor)) {
    sweep.store(lane, buffer, part.target, storing);
  }
  sweep.finish();
}

static void emitPart(KernelEmitter &emitter, const Part &part, unsigned result,
                     const Piece &piece) {
  int64_t run = findRun(part.tensor, part.size);
  if (run == part.size && run > 1) {
    return emitRun(emitter, part, result, piece);
  }
  Value first = emitter.index(0), last = emitter.index(part.size / run);
  if (piece.number) {
    IndexArithmetic indices(emitter.getBuilder(), emitter.getLoc());
    std::tie(first, last) = piece.cut(indices, part.size / run, 1);
  }
  emitter.forEach(first, last, 1, [&](Value index) {
    AffineExpr offset = emitter.dimension(index) * run;
    emitRun(emitter,
            {part.tensor, part.source + offset, part.target + offset, run},
            result);
  });
}

static void emitConcat(KernelEmitter &emitter, Value tensor, unsigned result) {
  const IterationDomain &shape = emitter.getDomain();
  while (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    tensor = reshape.getOperand();
  }
  auto concat = tensor.getDefiningOp<ConcatOp>();
  if (!concat || getNumElements(tensor) != shape.elements) {
    emitter.emitError(emitter.getKernel())
        << "expected accel.concat of " << shape.elements << " elements, got "
        << tensor;
    return;
  }
  int64_t pieces = emitter.getGeometry().getTiles() / shape.rows;
  IndexArithmetic indices(emitter.getBuilder(), emitter.getLoc());
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value index) {
    Piece piece;
    if (pieces > 1) {
      piece = {indices.rem(index, pieces), pieces};
      index = indices.div(index, pieces);
    }
    AffineExpr row = emitter.dimension(index);
    int64_t offset = 0;
    for (Value operand : concat.getOperands()) {
      int64_t size = getNumElements(operand) / shape.rows;
      if (size != 0) {
        emitPart(emitter,
                 {operand, row * size, row * shape.columns + offset, size},
                 result, piece);
      }
      offset += size;
    }
  });
}

void accel::emitConcatKernel(KernelEmitter &emitter) {
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    emitConcat(emitter, result, i);
  }
}
