// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One register block after the other.
#include "passes/Lower/Cpu/MultiplyRoutine.h"

#include "passes/Analysis/WindowMatrix.h"
#include "passes/Lower/Cpu/MultipliedBlock.h"
#include "passes/Lower/Routine.h"
#include "passes/Lower/ViewPlace.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace accel;

/// Of the summed index, one behind the other in the innermost loop. Where rows
/// of the left matrix lie apart, two steps would need twice as many registers.
static constexpr int64_t kSteps = 2, kStepsOfRows = 1;
/// Of two long matrices of few columns each element comes from far for few
/// products: rows of the right one are asked for some steps before, if they are
/// so short that as many of them do not meet in a set of the first cache.
static constexpr int64_t kStepsAhead = 32, kLongestAhead = 64;

/// How the operands lie: the routine's name says it.
struct MultiplyRoutine::Forms {
  bool isLhsPacked, isLhsTransposed, isRhsPacked;
  int64_t lhsStride; ///< from one row to the next, if it is read in rows
  const WindowMatrix *rhsWindows;
  /// Rows behind the last whole register block, and whether there is one.
  int64_t lastRows;
  bool hasWholeRows;
  bool areColumnsWhole;
  bool isRhsAskedFor;

  static Forms get(const MultipliedParts &product, const ProductBlock &block) {
    const ProductMatrix &lhs = product.lhs.matrix, &rhs = product.rhs.matrix;
    Forms forms{.isLhsPacked = product.lhs.isPacked,
                .isLhsTransposed = lhs.isTransposed,
                .isRhsPacked = product.rhs.isPacked,
                .lhsStride = 0,
                .rhsWindows = rhs.windows,
                .lastRows = product.allRows % block.rows,
                .hasWholeRows = product.allRows >= block.rows,
                .areColumnsWhole = product.allColumns % block.columns == 0,
                .isRhsAskedFor = false};
    if (forms.isLhsInRows()) {
      forms.lhsStride = *getConstantIntValue(lhs.stride);
    } else if (!forms.isLhsPacked && !forms.isRhsPacked) {
      int64_t stride = rhs.windows ? rhs.windows->rows.strides.back()
                                   : *getConstantIntValue(rhs.stride);
      forms.isRhsAskedFor = stride <= kLongestAhead;
    }
    return forms;
  }

  bool isLhsInRows() const { return !isLhsPacked && !isLhsTransposed; }
  std::string getSuffix() const {
    std::string suffix;
    if (isLhsInRows()) {
      suffix = "_lhs_rows_of_" + std::to_string(lhsStride);
    } else if (!isLhsPacked) {
      suffix = "_lhs_columns";
    }
    suffix += isRhsPacked ? "" : "_rhs_rows";
    suffix += isRhsAskedFor ? "_ahead" : "";
    if (lastRows) {
      suffix += hasWholeRows ? "_last_rows_" : "_rows_";
      suffix += std::to_string(lastRows);
    }
    return areColumnsWhole ? suffix : suffix + "_last_columns";
  }
};

struct MultiplyRoutine::Arguments {
  Value lhs, lhsAt, lhsStride, rhs, rhsAt, rhsStride, depth;
  Value result, resultAt, resultStride;
  Value rows, columns, adds;
  /// Of windows, whose code is no routine.
  Value firstRow, firstColumn;

  auto fields() {
    return std::tie(lhs, lhsAt, lhsStride, rhs, rhsAt, rhsStride, depth, result,
                    resultAt, resultStride, rows, columns, adds);
  }
};

void MultiplyRoutine::multiply(const TileCode &t,
                               const MultipliedParts &product,
                               const ProductMatrix &result, Value adds) const {
  const ProductMatrix &lhs = product.lhs.matrix, &rhs = product.rhs.matrix;
  Forms forms = Forms::get(product, block);
  Arguments arguments{.lhs = FloatMemory::cast(t, lhs.buffer),
                      .lhsAt = lhs.at,
                      .lhsStride = lhs.stride,
                      .rhs = FloatMemory::cast(t, rhs.buffer),
                      .rhsAt = rhs.at,
                      .rhsStride = rhs.stride,
                      .depth = product.depth,
                      .result = FloatMemory::cast(t, result.buffer),
                      .resultAt = result.at,
                      .resultStride = result.stride,
                      .rows = product.rows,
                      .columns = product.columns,
                      .adds = adds,
                      .firstRow = product.rhs.firstRow,
                      .firstColumn = product.rhs.firstColumn};
  // Windows lie in a way of their own: their code is the kernel's.
  if (forms.rhsWindows) {
    return write(t, arguments, forms);
  }
  std::string name = "product.multiply" + forms.getSuffix();
  if (format.isPaired()) {
    name += format.getPackedSuffix();
  }
  callRoutine<Arguments>(t.getBuilder(), t.getLoc(), module, name, arguments,
                         [&](OpBuilder &inside, const Arguments &a) {
                           write(TileCode(inside, t.getLoc()), a, forms);
                         });
}

/// The left matrix from `row` on.
RegisterOperand MultiplyRoutine::getLeft(const TileCode &t, const Arguments &a,
                                         const Forms &forms, Value row) const {
  FloatMemory memory(t, a.lhs);
  Value one = t.index(1);
  if (forms.isLhsPacked) {
    return {memory, t.add(a.lhsAt, t.mul(row, a.lhsStride)),
            t.index(block.rows), one};
  }
  if (forms.isLhsInRows()) {
    // Constants are part of instructions, where addresses would fill registers.
    Value stride = t.index(forms.lhsStride);
    return {memory, t.add(a.lhsAt, t.mul(row, stride)), one, stride};
  }
  return {memory, t.add(a.lhsAt, row), a.lhsStride, one};
}

/// The right matrix from `column` on.
RegisterOperand MultiplyRoutine::getRight(const TileCode &t, const Arguments &a,
                                          const Forms &forms,
                                          Value column) const {
  FloatMemory memory(t, a.rhs);
  Value one = t.index(1);
  if (forms.isRhsPacked) {
    Value panel = t.mul(t.div(column, block.columns), a.rhsStride);
    return {memory, t.add(a.rhsAt, panel), t.index(block.columns), one};
  }
  if (const WindowMatrix *windows = forms.rhsWindows) {
    Value place = getPlace(t, windows->columns, t.add(a.firstColumn, column));
    return {memory, t.add(a.rhsAt, place),
            t.index(windows->rows.strides.back()), one};
  }
  return {memory, t.add(a.rhsAt, column), a.rhsStride, one};
}

void MultiplyRoutine::write(const TileCode &t, const Arguments &a,
                            const Forms &forms) const {
  std::optional<SummedWindows> windows;
  if (forms.rhsWindows) {
    windows.emplace(forms.rhsWindows->rows, a.firstRow);
  }
  t.each(t.index(0), a.columns, block.columns, [&](Value column) {
    RegisterOperand rhs = getRight(t, a, forms, column);
    t.each(t.index(0), a.rows, block.rows, [&](Value row) {
      RegisterOperand lhs = getLeft(t, a, forms, row);
      Value place =
          t.add(t.add(a.resultAt, t.mul(row, a.resultStride)), column);
      BlockResult result(
          t, format, FloatMemory(t, a.result), place, a.resultStride, a.adds,
          forms.areColumnsWhole ? Value() : t.sub(a.columns, column));
      auto multiply = [&](int64_t rows) {
        MultipliedBlock{.format = format,
                        .rows = rows,
                        .columns = block.columns,
                        .lhs = lhs,
                        .rhs = rhs,
                        .depth = a.depth,
                        .steps = forms.isLhsInRows() ? kStepsOfRows : kSteps,
                        .windows = windows,
                        .stepsAhead = forms.isRhsAskedFor ? kStepsAhead : 0}
            .multiply(t, result);
      };
      if (forms.lastRows == 0) {
        return multiply(block.rows);
      }
      if (!forms.hasWholeRows) {
        return multiply(forms.lastRows);
      }
      t.onlyIf(
          t.isLess(t.sub(a.rows, row), t.index(block.rows)),
          [&] { multiply(forms.lastRows); }, [&] { multiply(block.rows); });
    });
  });
}
