// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number formats of PTX and how a value is rounded to one of them. The
// formats that the host has, f32 and f64, use the host's arithmetic, which is
// that of IEEE 754.
#ifndef ACCEL_TEST_CUDA_PTX_ROUNDING_H_
#define ACCEL_TEST_CUDA_PTX_ROUNDING_H_

#include <cstdint>

namespace accel::ptx {

enum class Rounding : uint8_t { kNearestEven, kZero, kDown, kUp, kNearestAway };

// A binary format of at most 32 bits: sign, exponent, mantissa.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // e4m3 has none, and one NaN per sign

  int Bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t SignBit() const { return 1u << (exponent_bits + mantissa_bits); }
};

inline constexpr Format kF16{5, 10, true};
inline constexpr Format kBf16{8, 7, true};
inline constexpr Format kF32{8, 23, true};
inline constexpr Format kE4m3{4, 3, false};
inline constexpr Format kE5m2{5, 2, true};

// The exact value of the bits.
double Widen(const Format& format, uint32_t bits);

// The bits of `value`. A NaN gives the format's canonical NaN, whose sign is
// positive and whose other bits are all one. `saturate` gives the largest
// finite number instead of infinity.
uint32_t RoundTo(const Format& format, double value, Rounding rounding,
                 bool saturate = false);

// Rounds to an integer; the result of a non-finite value is the value.
double RoundToInteger(double value, Rounding rounding);

// The sum, rounded to odd: rounding it again to a format that has at least two
// bits less gives what rounding the exact sum would give.
double AddToOdd(double a, double b);
// The double nearest to an integer of 64 bits, rounded to odd.
double IntegerToOdd(uint64_t magnitude, bool negative);

// While it lives, the host's arithmetic has another rounding.
class ScopedRounding {
 public:
  explicit ScopedRounding(Rounding rounding);
  ~ScopedRounding();
  ScopedRounding(const ScopedRounding&) = delete;
  ScopedRounding& operator=(const ScopedRounding&) = delete;

 private:
  int saved_;
};

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_ROUNDING_H_
