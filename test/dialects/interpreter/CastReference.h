// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What casts between f32 and floats of 16 and 8 bits give, computed by LLVM's
// APFloat, and the numbers that they are tried on.
#ifndef ACCEL_TEST_DIALECTS_INTERPRETER_CASTREFERENCE_H
#define ACCEL_TEST_DIALECTS_INTERPRETER_CASTREFERENCE_H

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace accel::test {

/// A cast from f32 to a format.
struct CastCase {
  std::string element; ///< the format's type
  const llvm::fltSemantics *semantics;
  unsigned width;
  bool saturates;

  bool isScale() const { return element == "f8E8M0FNU"; }
  /// The operation, from a vector of `size` numbers of f32.
  std::string getOperation(int64_t size) const {
    std::string sizes = "tensor<" + std::to_string(size) + "x";
    return "accel.cast %x " + std::string(saturates ? "saturate " : "") + ": " +
           sizes + "f32> -> " + sizes + element + ">";
  }
  std::string getName() const {
    return element + (saturates && width == 16 ? "_saturate" : "");
  }
};

inline std::vector<CastCase> getCastCases() {
  using F = llvm::APFloat;
  return {{"bf16", &F::BFloat(), 16, false},
          {"bf16", &F::BFloat(), 16, true},
          {"f16", &F::IEEEhalf(), 16, false},
          {"f16", &F::IEEEhalf(), 16, true},
          {"f8E4M3FN", &F::Float8E4M3FN(), 8, true},
          {"f8E5M2", &F::Float8E5M2(), 8, true},
          {"f8E8M0FNU", &F::Float8E8M0FNU(), 8, false}};
}

/// The bits that the number of f32 with the bits `single` becomes.
inline uint32_t narrowByAPFloat(const CastCase &each, uint32_t single) {
  llvm::APFloat number(llvm::APFloat::IEEEsingle(), llvm::APInt(32, single));
  bool isNan = number.isNaN();
  bool isNegative = number.isNegative();
  if (each.isScale() && !isNan && (isNegative || number.isZero())) {
    return 0; // by definition: APFloat has no answer
  }
  auto mode = each.isScale() ? llvm::APFloat::rmTowardPositive
                             : llvm::APFloat::rmNearestTiesToEven;
  bool losesInfo = false;
  number.convert(*each.semantics, mode, &losesInfo);
  bool isBeyond = !isNan && (number.isInfinity() || number.isNaN());
  if (isBeyond && (each.saturates || each.isScale())) {
    number = llvm::APFloat::getLargest(*each.semantics, isNegative);
  }
  return number.bitcastToAPInt().getZExtValue();
}

/// The bits of f32 of the number with the bits `code`.
inline uint32_t widenByAPFloat(const CastCase &each, uint32_t code) {
  llvm::APFloat number(*each.semantics, llvm::APInt(each.width, code));
  if (each.isScale() && number.isNaN()) {
    return 0x7FC00000; // APFloat makes an infinity of it: it has no mantissa
  }
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

/// Numbers of f32, by index. The first ones lie on and beside every place where
/// a rounding can change: for each sign, exponent and number of bits that are
/// dropped, a tie, its neighbours and those of what stays, for several patterns
/// of what stays. That covers formats of any precision, their subnormal
/// numbers, both ends of their ranges, infinities and NaNs. The others are
/// spread evenly over all bits.
class CastInputs {
public:
  CastInputs(uint64_t count, uint64_t patterns)
      : count(count), patterns(patterns),
        step((uint64_t(1) << 32) / count | 1) {}

  uint64_t size() const { return count; }

  uint32_t at(uint64_t index) const {
    uint64_t structured = uint64_t(512) * kDrops * kTails * patterns;
    return index < structured ? structuredAt(index)
                              : static_cast<uint32_t>(index * step);
  }

private:
  static constexpr uint64_t kDrops = 24; ///< 0 to 23 bits
  static constexpr uint64_t kTails = 6;

  uint32_t structuredAt(uint64_t index) const {
    auto take = [&](uint64_t size) {
      uint64_t digit = index % size;
      index /= size;
      return static_cast<uint32_t>(digit);
    };
    uint32_t pattern = take(patterns);
    uint32_t tail = take(kTails);
    uint32_t dropped = take(kDrops);
    uint32_t exponent = index;
    uint32_t half = dropped == 0 ? 0 : 1u << (dropped - 1);
    uint32_t mask = (1u << dropped) - 1;
    const uint32_t tails[kTails] = {0, 1, half - 1, half, half + 1, mask};
    // What stays: none set, all set, then any.
    uint32_t stays = pattern == 0   ? 0
                     : pattern == 1 ? ~0u
                                    : (pattern + 97 * exponent) * 2654435761u;
    uint32_t mantissa = (stays << dropped | (tails[tail] & mask)) & 0x7FFFFF;
    return exponent << 23 | mantissa;
  }

  uint64_t count, patterns, step;
};

} // namespace accel::test

#endif
