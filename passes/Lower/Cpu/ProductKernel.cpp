// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products. A thread has a range of tiles: blocks of columns, or of rows
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
// What lies in short enough rows is read from there instead of packed.
//
// An element is the sum, block by block, of sums in the order of the summed
// index: no split among threads and no width of registers changes it.
#include "passes/Lower/Cpu/ProductKernel.h"

#include "passes/Analysis/WindowMatrix.h"
#include "passes/Lower/Cpu/PackedOperands.h"
#include "passes/Lower/Cpu/ProductEpilogue.h"
#include "passes/Lower/Cpu/ProductSums.h"
#include "passes/Lower/ViewPlace.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// The matrices of one product.
struct ProductMatrices {
  ProductOperand lhs, rhs;
  ProductMatrix sums;
  AffineExpr firstRow; ///< of the result, among those of all results
};

class ProductKernel {
public:
  ProductKernel(KernelEmitter &emitter, MatmulOp op, const ProductTiles &tiles,
                const PackedOperands &operands, const ProductSums &sums)
      : emitter(emitter), t(emitter.getBuilder(), emitter.getLoc()),
        tiles(tiles), operands(operands), sums(sums),
        epilogue(emitter, op, tiles) {}

  /// `first`: of the products that lie one behind the other.
  void emit(const ProductMatrices &first);

private:
  /// Whether the workspace keeps sums of some rows until they are complete.
  bool isCutByRows() const { return sums.areKept() && tiles.blocks() > 1; }
  ProductOperand getOperand(const ProductOperand &first, Value number,
                            int64_t vectors);
  ProductMatrices getMatrices(const ProductMatrices &first, Value number);
  ProductRange rangeOf(const ProductRange &work, int64_t size);
  void emitMatrix(const ProductMatrices &product, const ProductRange &work);
  void emitChunk(const ProductMatrices &product, const ProductRange &rows,
                 const ProductRange &columns);
  void emitBlock(const ProductMatrices &product, const ProductRange &rows,
                 const ProductRange &columns, const DepthBlock &block);
  void emitRows(const ProductMatrices &product, const ProductRange &rows,
                const ProductRange &columns, const DepthBlock &block,
                const MultipliedOperand &rhs);

  KernelEmitter &emitter;
  TileCode t;
  ProductTiles tiles;
  PackedOperands operands;
  ProductSums sums;
  ProductEpilogue epilogue;
};

/// The tiles of the call, each matrix's share of them.
void ProductKernel::emit(const ProductMatrices &first) {
  ProductRange work{emitter.getBegin(), emitter.getEnd()};
  if (tiles.matrices == 1) {
    return emitMatrix(first, work);
  }
  int64_t perMatrix = emitter.getGeometry().getTiles() / tiles.matrices;
  Value behind = t.add(work.last, t.index(perMatrix - 1));
  emitter.forEach(t.div(work.first, perMatrix), t.div(behind, perMatrix), 1,
                  [&](Value number) {
                    ProductMatrices product = getMatrices(first, number);
                    Value begin = t.mul(number, perMatrix);
                    Value end = t.add(begin, t.index(perMatrix));
                    emitMatrix(product, {t.sub(t.max(work.first, begin), begin),
                                         t.sub(t.min(work.last, end), begin)});
                  });
}

/// That of matrix `number`, each of which has so many vectors along the summed
/// index.
ProductOperand ProductKernel::getOperand(const ProductOperand &first,
                                         Value number, int64_t vectors) {
  ProductOperand operand = first;
  if (const WindowMatrix *windows = first.numbers.windows) {
    operand.numbers =
        first.numbers.behind(t, getPlace(t, windows->matrices, number));
    return operand;
  }
  operand.numbers =
      first.numbers.behind(t, t.mul(number, vectors * tiles.depth));
  if (first.areScaled()) {
    int64_t blocks = llvm::divideCeil(tiles.depth, tiles.scaledBlock);
    operand.scales = first.scales.behind(t, t.mul(number, vectors * blocks));
  }
  return operand;
}

ProductMatrices ProductKernel::getMatrices(const ProductMatrices &first,
                                           Value number) {
  ProductMatrix result =
      sums.areKept()
          ? first.sums
          : first.sums.behind(t, t.mul(number, tiles.rows * tiles.columns));
  return {getOperand(first.lhs, number, tiles.rows),
          getOperand(first.rhs, number, tiles.columns), result,
          emitter.dimension(number) * tiles.rows};
}

/// The rows or columns, `size` in all, that some tiles are.
ProductRange ProductKernel::rangeOf(const ProductRange &work, int64_t size) {
  int64_t tile = emitter.getGeometry().getTile();
  auto limit = [&](Value each) {
    return t.min(t.mul(each, tile), t.index(size));
  };
  return {limit(work.first), limit(work.last)};
}

void ProductKernel::emitMatrix(const ProductMatrices &product,
                               const ProductRange &work) {
  ProductRange rows{t.index(0), t.index(tiles.rows)};
  ProductRange columns{t.index(0), t.index(tiles.columns)};
  if (emitter.getGeometry().getOf() == plan::TileKind::Columns) {
    columns = rangeOf(work, tiles.columns);
  } else {
    rows = rangeOf(work, tiles.rows);
  }
  int64_t packed = tiles.packedColumns;
  emitter.forEach(columns.first, columns.last, packed, [&](Value first) {
    ProductRange chunk{first, t.min(t.add(first, packed), columns.last)};
    if (!isCutByRows()) {
      return emitChunk(product, rows, chunk);
    }
    int64_t most = tiles.summedRows();
    emitter.forEach(rows.first, rows.last, most, [&](Value row) {
      emitChunk(product, {row, t.min(t.add(row, most), rows.last)}, chunk);
    });
  });
}

void ProductKernel::emitChunk(const ProductMatrices &product,
                              const ProductRange &rows,
                              const ProductRange &columns) {
  int64_t depth = tiles.block;
  emitter.forEach(t.index(0), t.index(tiles.depth), depth, [&](Value first) {
    Value left = t.sub(t.index(tiles.depth), first);
    emitBlock(product, rows, columns, {first, t.min(left, t.index(depth))});
  });
}

void ProductKernel::emitBlock(const ProductMatrices &product,
                              const ProductRange &rows,
                              const ProductRange &columns,
                              const DepthBlock &block) {
  MultipliedOperand rhs = operands.getRhs(product.rhs, columns, block);
  int64_t step = ProductTiles::kPackedRows;
  emitter.forEach(rows.first, rows.last, step, [&](Value first) {
    ProductMatrices part = product;
    if (sums.areKept()) {
      Value row = isCutByRows() ? t.sub(first, rows.first) : t.index(0);
      part.sums = product.sums.from(t, row, t.index(0));
    } else {
      part.sums = product.sums.from(t, first, columns.first);
    }
    emitRows(part, {first, t.min(t.add(first, step), rows.last)}, columns,
             block, rhs);
  });
}

void ProductKernel::emitRows(const ProductMatrices &product,
                             const ProductRange &rows,
                             const ProductRange &columns,
                             const DepthBlock &block,
                             const MultipliedOperand &rhs) {
  MultipliedOperand lhs = operands.getLhs(product.lhs, rows, block);
  Value adds = sums.adds(t, block);
  operands.multiply(lhs, rhs, rows.count(t), columns.count(t), block,
                    product.sums, adds);
  if (epilogue.isEmpty()) {
    return;
  }
  int64_t last = (tiles.blocks() - 1) * tiles.block;
  emitter.onlyIf(t.isEqual(block.first, t.index(last)), [&] {
    epilogue.emit(rows, columns, product.firstRow, product.sums);
  });
}

//===----------------------------------------------------------------------===//
// What the kernel begins with
//===----------------------------------------------------------------------===//

/// Whether the iteration domain is that of the product.
bool checkDomain(KernelEmitter &emitter, MatmulOp op,
                 const ProductTiles &tiles) {
  const IterationDomain &domain = emitter.getDomain();
  int64_t multiple = getBlockMultiple(op);
  if (domain.matrixRows() != tiles.rows || domain.columns != tiles.columns ||
      domain.matrices != tiles.matrices || domain.block % multiple != 0) {
    emitter.emitError(op) << "expected " << tiles.rows << " rows of "
                          << tiles.columns << " in each of " << tiles.matrices
                          << " matrices and blocks of a multiple of "
                          << multiple << ", got " << domain.matrixRows() << ", "
                          << domain.columns << ", " << domain.matrices
                          << " and " << domain.block;
    return false;
  }
  return true;
}

/// Whether there are routines for the geometry, and room.
bool checkGeometry(KernelEmitter &emitter, MatmulOp op,
                   const ProductTiles &tiles) {
  plan::CodeAttr geometry = emitter.getGeometry();
  int64_t vectors = geometry.getVectors();
  bool isByColumn = geometry.getOf() == plan::TileKind::Columns;
  if ((vectors != 1 && vectors != 2) || tiles.packedColumns <= 0 ||
      tiles.packedColumns % (16 * vectors) != 0 ||
      geometry.getTile() % (isByColumn ? 16 * vectors : 6 * vectors) != 0 ||
      geometry.getWorkspace() < tiles.workspaceBytes()) {
    emitter.emitError(op)
        << "expected register blocks of 1 or 2 vectors, tiles of whole blocks, "
           "columns that are packed in whole blocks and a workspace of "
        << tiles.workspaceBytes() << " bytes, got " << geometry;
    return false;
  }
  return true;
}

/// An operand that is a view of windows.
ProductMatrix getWindows(KernelEmitter &emitter, Value operand,
                         const WindowMatrix &windows, bool isTransposed) {
  TileCode t(emitter.getBuilder(), emitter.getLoc());
  Value root = getViewRoot(operand);
  Value buffer = emitter.getBuffer(cast<BlockArgument>(root));
  return {FloatMemory::cast(t, buffer), t.index(windows.offset), t.index(0),
          isTransposed, &windows};
}

/// The matrix that an operand is, or the first of them. The buffer is null
/// after an error.
ProductMatrix getMatrix(KernelEmitter &emitter, MatmulOp op, Value operand,
                        bool isTransposed) {
  int64_t offset = 0;
  Value buffer = emitter.getContiguous(op, operand, offset);
  IndexArithmetic t(emitter.getBuilder(), emitter.getLoc());
  return {buffer, t.index(offset), t.index(shapeOf(operand).back()),
          isTransposed};
}

/// Operand `index` of the product, and its scales.
ProductOperand getOperand(KernelEmitter &emitter, MatmulOp op, unsigned index,
                          bool isTransposed,
                          const std::optional<WindowMatrix> &windows) {
  if (windows) {
    return {getWindows(emitter, op->getOperand(index), *windows, isTransposed),
            {}};
  }
  ProductOperand operand{
      getMatrix(emitter, op, op->getOperand(index), isTransposed), {}};
  if (!op.getScales().empty()) {
    operand.scales =
        getMatrix(emitter, op, op.getScales()[index], isTransposed);
  }
  return operand;
}

} // namespace

void accel::emitProductKernel(KernelEmitter &emitter, MatmulOp op) {
  bool dots = emitter.getGeometry().getDots() != 0;
  auto block = static_cast<int64_t>(op.getBlock().value_or(0));
  auto lhsFormat = PackedFormat::get(elementTypeOf(op.getLhs()), dots, block);
  auto rhsFormat = PackedFormat::get(elementTypeOf(op.getRhs()), dots, block);
  if (!lhsFormat || !rhsFormat || !elementTypeOf(op.getResult()).isF32()) {
    emitter.emitError(op) << "expected a product of f32, bf16, f16, f8E4M3FN "
                             "or f8E5M2 that is summed in f32, got "
                          << op.getLhs().getType() << " and " << op.getType();
    return;
  }
  ProductTiles tiles =
      ProductTiles::get(emitter.getKernel(), op, emitter.getDomain().block,
                        emitter.getGeometry().getPacked());
  if (!checkDomain(emitter, op, tiles) || !checkGeometry(emitter, op, tiles)) {
    return;
  }
  auto lhsWindows = WindowMatrix::findInKernel(op.getLhs());
  auto rhsWindows = WindowMatrix::findInKernel(op.getRhs());
  ProductOperand lhs =
      getOperand(emitter, op, 0, tiles.transposeLhs, lhsWindows);
  ProductOperand rhs =
      getOperand(emitter, op, 1, tiles.transposeRhs, rhsWindows);
  if (emitter.hasFailed()) {
    return;
  }
  std::optional<ProductSums> sums = ProductSums::find(emitter, op, tiles);
  if (!sums) {
    return;
  }
  PackedOperands operands(emitter, tiles, *lhsFormat, *rhsFormat);
  ProductKernel(emitter, op, tiles, operands, *sums)
      .emit({lhs, rhs, sums->getMatrix(), emitter.number(0)});
}
