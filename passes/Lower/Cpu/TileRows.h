// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of numbers in memory, read and written by vectors of 16.
#ifndef ACCEL_PASSES_LOWER_CPU_TILEROWS_H
#define ACCEL_PASSES_LOWER_CPU_TILEROWS_H

#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Lower/Cpu/TileCode.h"
#include "passes/Lower/Loops/HeadTensor.h"

namespace accel {

/// Rows of numbers, one behind the other or some stride apart. Lanes beyond the
/// last column are zero when read, and not written. Floats of 16 bits are f32
/// here: widened when they are read, rounded when they are written.
class TileRows {
public:
  using Value = mlir::Value;

  TileRows() = default;
  /// `rows` times `columns` elements of a buffer from element `offset` on.
  /// `format`: of small floats, whose bits the buffer holds.
  TileRows(const TileCode &code, Value buffer, Value offset, int64_t rows,
           int64_t columns, int64_t rowStride,
           const SmallFloat *format = nullptr);

  /// Whether there are any.
  explicit operator bool() const { return code != nullptr; }

  int64_t getColumns() const { return columns; }
  Value scalar(Value row, Value column) const;
  /// Sixteen elements from `column` on, all of which exist if it is no
  /// constant.
  Value lanes(Value row, int64_t column) const;
  Value lanes(Value row, Value column) const;
  /// The same where it is known that all exist.
  Value allLanes(Value row, Value column) const;
  /// The same; those beyond the last column are `otherwise`.
  Value someLanes(Value row, Value column, Value otherwise) const;
  void store(Value lanes, Value row, int64_t column) const;
  void store(Value lanes, Value row, Value column) const;
  void storeAll(Value lanes, Value row, Value column) const;
  /// The same where some may not exist.
  void storeSome(Value lanes, Value row, Value column) const;
  void storeScalar(Value scalar, Value row, Value column) const;

private:
  Value existing(int64_t column) const;
  Value existing(Value column) const;
  mlir::VectorType getStoredLanes() const;
  Value widen(Value stored) const;
  Value narrow(Value number) const;

  const TileCode *code = nullptr;
  const SmallFloat *format = nullptr;
  Value memory;
  int64_t columns = 0;
};

/// The rows of a head.
TileRows getHead(const TileCode &t, const HeadTensor &tensor, mlir::Value batch,
                 mlir::Value head);

} // namespace accel

#endif
