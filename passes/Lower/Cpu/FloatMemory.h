// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of numbers by their place alone.
#ifndef ACCEL_PASSES_LOWER_CPU_FLOATMEMORY_H
#define ACCEL_PASSES_LOWER_CPU_FLOATMEMORY_H

#include "passes/Lower/Cpu/TileCode.h"

namespace accel {

/// A buffer of floats, or of the bits of smaller ones, of no size in
/// particular. Borrows: the code.
class FloatMemory {
public:
  using Value = mlir::Value;

  FloatMemory(const TileCode &t, Value memory) : t(t), memory(memory) {}

  /// `buffer` as a memref that all calls of a routine can pass: only the stride
  /// of one matters.
  static Value cast(const TileCode &t, Value buffer);
  /// The same, as a buffer of `element`, whatever was stored there before.
  static Value castTo(const TileCode &t, Value buffer, mlir::Type element);

  mlir::Type getElement() const {
    return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType();
  }
  Value scalar(Value at) const;
  Value load(Value at, int64_t lanes) const;
  /// The first `count`; the others are zero.
  Value loadSome(Value at, int64_t lanes, Value count) const;
  void store(Value lanes, Value at) const;
  /// The first `count`.
  void storeSome(Value lanes, Value at, Value count) const;
  /// Asks for the line of an element, which need not exist.
  void prefetch(Value at) const;
  Value zero(int64_t lanes) const;

private:
  mlir::VectorType typeOf(int64_t lanes) const;
  Value maskOf(Value count, int64_t lanes) const;

  const TileCode &t;
  Value memory;
};

} // namespace accel

#endif
