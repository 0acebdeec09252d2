// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products. A thread has a range of units: blocks of columns, or of rows
// where there are more of them, of one matrix behind the other.
//
// With the sizes of the default target:
//
//   for each matrix of the range:
//     for 1024 columns of the range:
//       for a block of 256 of the summed index:
//         pack that part of the right matrix into panels of 16 columns
//         for 48 rows:
//           pack that part of the left matrix, six by six rows, their columns
//           one behind the other
//           for each panel, for each six rows:
//             result (+)= rows x panel, summed in registers
//           behind the last block: the epilogue over these rows, which are
//           still in the second cache
//
// An element is the sum, block by block, of sums in the order of the summed
// index: no split among threads and no width of registers changes it.
#include "passes/Lower/Cpu/ProductKernel.h"

#include "passes/Lower/Cpu/MultiplyRoutine.h"
#include "passes/Lower/Cpu/PackRoutines.h"
#include "passes/Lower/Cpu/Sweep.h"
#include "passes/Target/Cpu/ProductTiles.h"

using namespace mlir;
using namespace accel;

namespace {

/// Indices from `first` to `last` - 1.
struct IndexRange {
  Value first, last;
};

/// A block of the summed index.
struct DepthBlock {
  Value first, depth;
};

class ProductKernel {
public:
  ProductKernel(KernelEmitter &emitter, MatmulOp op, const ProductTiles &tiles)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()), op(op),
        tiles(tiles),
        registers(ProductBlock::get(emitter.getGeometry().getVectors())),
        packing(emitter.getKernel()->getParentOfType<ModuleOp>(), registers),
        multiplication(emitter.getKernel()->getParentOfType<ModuleOp>(),
                       registers) {}

  void emit();

private:
  ProductMatrix getMatrix(Value operand, bool isTransposed);
  ProductMatrix partOf(const ProductMatrix &matrix, Value row, Value column);
  bool findDestination();
  IndexRange rangeOf(const IndexRange &units, int64_t unit, int64_t size);
  /// Whether units are blocks of columns, and not of rows.
  bool isByColumn() const {
    return emitter.getGeometry().getOf() == plan::UnitKind::Columns;
  }
  void emitMatrix(const IndexRange &units);
  Value panelStride() const {
    return t.index(tiles.panelStride(registers.columns));
  }
  void emitChunk(const IndexRange &rows, const IndexRange &columns);
  void emitBlock(const IndexRange &rows, const IndexRange &columns,
                 const DepthBlock &block);
  void emitRows(const IndexRange &rows, const IndexRange &columns,
                const DepthBlock &block);
  void emitEpilogue(const IndexRange &rows, const IndexRange &columns,
                    const DepthBlock &block);
  void emitEpilogueRow(Value row, const IndexRange &columns);

  KernelEmitter &emitter;
  TileCode t;
  MatmulOp op;
  ProductTiles tiles;
  ProductBlock registers;
  PackRoutines packing;
  MultiplyRoutine multiplication;
  ProductMatrix lhs, rhs, result;
  AffineExpr firstRow; ///< of the matrix, among those of all matrices
  Storing storing;
  bool hasEpilogue = false;
};

ProductMatrix ProductKernel::getMatrix(Value operand, bool isTransposed) {
  int64_t offset = 0;
  Value buffer = emitter.getContiguous(op, operand, offset);
  return {buffer, t.index(offset), t.index(shapeOf(operand).back()),
          isTransposed};
}

/// The matrix from an element on.
ProductMatrix ProductKernel::partOf(const ProductMatrix &matrix, Value row,
                                    Value column) {
  if (matrix.isTransposed) {
    std::swap(row, column);
  }
  ProductMatrix part = matrix;
  part.at = t.add(t.add(matrix.at, t.mul(row, matrix.stride)), column);
  return part;
}

/// The sums are kept where the product goes or, if nobody wants it as it is, a
/// result that is computed from it.
bool ProductKernel::findDestination() {
  std::optional<unsigned> chosen;
  for (auto [i, value] : llvm::enumerate(emitter.getResults())) {
    bool isProduct = value == op.getResult();
    hasEpilogue |= !isProduct;
    if (getNumElements(value) != emitter.getDomain().elements) {
      emitter.emitError(op)
          << "expected results of " << emitter.getDomain().elements
          << " elements, got " << value.getType();
      return false;
    }
    bool canHold = elementTypeOf(value).isF32() &&
                   (isProduct || !isAccumulated(emitter.getKernel(), i));
    if (canHold && (isProduct || !chosen)) {
      chosen = i;
    }
  }
  if (!chosen) {
    emitter.emitError(op) << "expected a result of " << op.getType()
                          << " to keep the sums in, got none";
    return false;
  }
  result = {emitter.getResultBuffer(*chosen), t.index(0),
            t.index(tiles.columns)};
  storing = emitter.getStoring(*chosen);
  if (storing.adds && hasEpilogue) {
    emitter.emitError(op) << "expected no other result beside a product that "
                             "is added to what is there";
    return false;
  }
  return true;
}

IndexRange ProductKernel::rangeOf(const IndexRange &units, int64_t unit,
                                  int64_t size) {
  auto limit = [&](Value each) {
    return t.min(t.mul(each, unit), t.index(size));
  };
  return {limit(units.first), limit(units.last)};
}

/// The units of the call, each matrix's share of them.
void ProductKernel::emit() {
  lhs = getMatrix(op.getLhs(), tiles.transposeLhs);
  rhs = getMatrix(op.getRhs(), tiles.transposeRhs);
  if (emitter.hasFailed() || !findDestination()) {
    return;
  }
  IndexRange units{emitter.getBegin(), emitter.getEnd()};
  firstRow = emitter.number(0);
  if (tiles.matrices == 1) {
    return emitMatrix(units);
  }
  int64_t perMatrix = emitter.getGeometry().getUnits() / tiles.matrices;
  const ProductMatrix firstLhs = lhs, firstRhs = rhs, firstResult = result;
  Value behind = t.add(units.last, t.index(perMatrix - 1));
  emitter.forEach(t.div(units.first, perMatrix), t.div(behind, perMatrix), 1,
                  [&](Value matrix) {
                    auto advance = [&](const ProductMatrix &first,
                                       int64_t elements) {
                      ProductMatrix part = first;
                      part.at = t.add(first.at, t.mul(matrix, elements));
                      return part;
                    };
                    lhs = advance(firstLhs, tiles.rows * tiles.depth);
                    rhs = advance(firstRhs, tiles.depth * tiles.columns);
                    result = advance(firstResult, tiles.rows * tiles.columns);
                    firstRow = emitter.dimension(matrix) * tiles.rows;
                    Value begin = t.mul(matrix, perMatrix);
                    Value end = t.add(begin, t.index(perMatrix));
                    emitMatrix({t.sub(t.max(units.first, begin), begin),
                                t.sub(t.min(units.last, end), begin)});
                  });
}

void ProductKernel::emitMatrix(const IndexRange &units) {
  IndexRange rows{t.index(0), t.index(tiles.rows)};
  IndexRange columns{t.index(0), t.index(tiles.columns)};
  plan::CodeAttr geometry = emitter.getGeometry();
  if (isByColumn()) {
    columns = rangeOf(units, geometry.getUnit(), tiles.columns);
  } else {
    rows = rangeOf(units, geometry.getUnit(), tiles.rows);
  }
  int64_t packed = tiles.packedColumns;
  emitter.forEach(columns.first, columns.last, packed, [&](Value first) {
    emitChunk(rows, {first, t.min(t.add(first, packed), columns.last)});
  });
}

void ProductKernel::emitChunk(const IndexRange &rows,
                              const IndexRange &columns) {
  int64_t depth = tiles.block;
  emitter.forEach(t.index(0), t.index(tiles.depth), depth, [&](Value first) {
    Value left = t.sub(t.index(tiles.depth), first);
    emitBlock(rows, columns, {first, t.min(left, t.index(depth))});
  });
}

void ProductKernel::emitBlock(const IndexRange &rows, const IndexRange &columns,
                              const DepthBlock &block) {
  packing.packRhs(t, partOf(rhs, block.first, columns.first),
                  {emitter.getWorkspace(), t.index(0)}, panelStride(),
                  t.sub(columns.last, columns.first), block.depth);
  int64_t step = ProductTiles::kPackedRows;
  emitter.forEach(rows.first, rows.last, step, [&](Value first) {
    emitRows({first, t.min(t.add(first, step), rows.last)}, columns, block);
  });
}

void ProductKernel::emitRows(const IndexRange &rows, const IndexRange &columns,
                             const DepthBlock &block) {
  Value workspace = emitter.getWorkspace();
  Value count = t.sub(rows.last, rows.first);
  PackedMatrix packed{workspace, t.index(tiles.lhsOffset())};
  packing.packLhs(t, partOf(lhs, rows.first, block.first), packed, count,
                  block.depth);
  Value adds = t.isLess(t.index(0), block.first);
  if (storing.adds) {
    adds = storing.kept ? t.select(adds, adds, storing.kept) : t.constantTrue();
  }
  PackedProduct product{.packed = workspace,
                        .lhsAt = packed.at,
                        .rhsAt = t.index(0),
                        .panelStride = panelStride(),
                        .rows = count,
                        .columns = t.sub(columns.last, columns.first),
                        .depth = block.depth};
  multiplication.multiply(t, product, partOf(result, rows.first, columns.first),
                          adds);
  if (hasEpilogue) {
    emitEpilogue(rows, columns, block);
  }
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

/// Row by row, what becomes of the sums behind the last block.
void ProductKernel::emitEpilogue(const IndexRange &rows,
                                 const IndexRange &columns,
                                 const DepthBlock &block) {
  int64_t last = (tiles.blocks() - 1) * tiles.block;
  emitter.onlyIf(t.isEqual(block.first, t.index(last)), [&] {
    emitter.forEach(rows.first, rows.last, 1,
                    [&](Value row) { emitEpilogueRow(row, columns); });
  });
}

void ProductKernel::emitEpilogueRow(Value row, const IndexRange &columns) {
  AffineExpr first = (firstRow + emitter.dimension(row)) * tiles.columns;
  // Chunks begin and ranges end with units of columns, or with the last.
  constexpr int64_t lanes = 32;
  int64_t step =
      isByColumn() ? emitter.getGeometry().getUnit() : tiles.packedColumns;
  bool isWhole = tiles.columns % lanes == 0 && step % lanes == 0;
  int64_t divisor = isWhole ? lanes : 1;
  Sweep sweep(emitter, {first, tiles.columns, columns.first,
                        OpFoldResult(t.sub(columns.last, columns.first)),
                        /*startsInFours=*/true, divisor});
  sweep.setStored(op.getResult(), result.buffer);
  for (auto [i, value] : llvm::enumerate(emitter.getResults())) {
    if (value == op.getResult()) {
      continue;
    }
    if (Value lane = sweep.lane(value)) {
      sweep.store(lane, emitter.getResultBuffer(i), first,
                  emitter.getStoring(i));
    }
  }
  sweep.finish();
}

} // namespace

void accel::emitProductKernel(KernelEmitter &emitter, MatmulOp op) {
  if (!elementTypeOf(op.getResult()).isF32()) {
    emitter.emitError(op) << "expected a product of f32, got " << op.getType();
    return;
  }
  const IterationDomain &domain = emitter.getDomain();
  plan::CodeAttr geometry = emitter.getGeometry();
  ProductTiles tiles =
      ProductTiles::get(op, domain.block, geometry.getPacked());
  if (domain.matrixRows() != tiles.rows || domain.columns != tiles.columns ||
      domain.matrices != tiles.matrices || domain.block % 16 != 0) {
    emitter.emitError(op) << "expected " << tiles.rows << " rows of "
                          << tiles.columns << " in each of " << tiles.matrices
                          << " matrices and blocks of a multiple of 16, got "
                          << domain.matrixRows() << ", " << domain.columns
                          << ", " << domain.matrices << " and " << domain.block;
    return;
  }
  int64_t vectors = geometry.getVectors();
  if ((vectors != 1 && vectors != 2) || tiles.packedColumns <= 0 ||
      tiles.packedColumns % (16 * vectors) != 0 ||
      geometry.getWorkspace() < tiles.workspaceBytes()) {
    emitter.emitError(op)
        << "expected register blocks of 1 or 2 vectors, columns that are "
           "packed in whole blocks and a workspace of "
        << tiles.workspaceBytes() << " bytes, got " << geometry;
    return;
  }
  ProductKernel(emitter, op, tiles).emit();
}
