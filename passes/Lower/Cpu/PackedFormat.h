// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What numbers of a product's operands are once they are packed.
#ifndef ACCEL_PASSES_LOWER_CPU_PACKEDFORMAT_H
#define ACCEL_PASSES_LOWER_CPU_PACKEDFORMAT_H

#include "passes/Lower/Cpu/FloatMemory.h"

#include <optional>

namespace accel {

/// Operands are packed in *units*: an element, or, of bf16, two neighbours of
/// the summed index. Floats of 8 bits become those of bf16 they are, which are
/// the same numbers. A unit of bf16 becomes two floats, the odd one first, or
/// stays 32 bits that one instruction multiplies: it adds the product of the
/// odd elements first, then that of the even ones. Either way a sum has the
/// same bits. Behind an odd number of elements there is a zero. Scales of
/// blocks, powers of two, multiply floats of 8 bits on the way: the results are
/// numbers of bf16 as well.
class PackedFormat {
public:
  using Value = mlir::Value;

  /// Of operands of `element`. Null: nothing is known of it. `dots`: there is
  /// an instruction for pairs of bf16. `block`: of the summed index, which has
  /// a scale; 0: there are none.
  static std::optional<PackedFormat> get(mlir::Type element, bool dots,
                                         int64_t block);

  /// In names of routines: what is packed, empty for f32, and of what.
  llvm::StringRef getPackedSuffix() const;
  std::string getSuffix() const;
  /// Whether sums flush subnormal numbers, and every NaN is the same one.
  bool isPaired() const { return kind == Kind::Floats2 || isDot(); }
  bool isDot() const { return kind == Kind::Pairs; }
  /// Elements of the summed index in a unit.
  int64_t elements() const { return isPaired() ? 2 : 1; }
  /// Packed numbers of 32 bits that a unit becomes.
  int64_t width() const { return kind == Kind::Floats2 ? 2 : 1; }
  /// Elements of the summed index that share a scale; 0: there are none.
  int64_t block() const { return scaled; }
  /// Packed numbers of `depth` elements of the summed index, an index.
  Value packedDepth(const TileCode &t, Value depth) const;

  /// `sum` plus the product of packed numbers, vectors of kTileLanes.
  Value multiplyAdd(const TileCode &t, Value x, Value y, Value sum) const;
  /// A sum as it is stored: which NaN comes out depends on the order of an
  /// instruction's operands, so it is always the same one where instructions
  /// differ.
  Value finishSum(const TileCode &t, Value sum) const;

private:
  enum class Kind { Floats, Halves, Floats2, Pairs };
  explicit PackedFormat(Kind kind, mlir::Type bytes = {}, int64_t scaled = 0)
      : kind(kind), bytes(bytes), scaled(scaled) {}

  Kind kind;
  mlir::Type bytes; ///< of the operand, where that has 8 bits; else null
  int64_t scaled;
  friend class OperandUnits;
};

/// Reads units from an operand in memory and packs them. Borrows: the code.
class OperandUnits {
public:
  using Value = mlir::Value;

  /// `memory`: a FloatMemory's, of the operand's stored elements; `scales`:
  /// likewise, null if there are none.
  OperandUnits(const TileCode &t, PackedFormat format, Value memory,
               Value scales)
      : t(t), format(format), memory(t, memory), scales(t, scales) {}

  /// Units whose elements follow each other, from `at` on. `count`: of
  /// elements that there are, others are zero; null: all. `scale`: the place of
  /// the scale of all of them; null if there are none.
  Value along(Value at, int64_t lanes, Value count, Value scale) const;
  /// Units that are neighbours: their first elements from `at` on, their second
  /// ones, if any, from `next` on; null: those are zero. `count`: of units that
  /// there are; null: all. `scale`: the place of the scale of the first one,
  /// behind which those of its neighbours lie; null if there are none.
  Value across(Value at, Value next, int64_t lanes, Value count,
               Value scale) const;
  Value zero(int64_t lanes) const;
  void prefetch(Value at) const { memory.prefetch(at); }

  /// Stores packed units at `at`; the second number of each, if any, `step`
  /// numbers further on.
  void store(Value units, const FloatMemory &target, Value at,
             int64_t step) const;
  /// The same, all numbers one behind the other.
  void storeRow(Value units, const FloatMemory &target, Value at) const;

private:
  Value load(Value at, int64_t lanes, Value count, Value scale) const;
  Value widenScales(Value stored) const;
  /// A vector for each packed number of a unit.
  llvm::SmallVector<Value, 2> pack(Value units) const;

  const TileCode &t;
  PackedFormat format;
  FloatMemory memory, scales;
};

} // namespace accel

#endif
