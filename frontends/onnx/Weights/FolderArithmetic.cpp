// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of NumPy, in its order of operations. All of them round once,
// and std::fma says where two are one (CMakeLists.txt keeps the compiler from
// joining others).
#include "frontends/onnx/Weights/FolderArithmetic.h"

#include <cmath>
#include <limits>

namespace accel::onnx {

/// Range reduction by Cody and Waite, then a quotient of polynomials.
float computeNumpyExp(float x) {
  constexpr float largest = 88.72283935546875f,
                  smallest = -103.97208404541015625f;
  if (std::isnan(x) || x > largest) {
    return std::isnan(x) ? x : std::numeric_limits<float>::infinity();
  }
  if (x < smallest) {
    return 0.0f;
  }
  constexpr float toInteger = 0x1.8p+23f;
  float exponent = x * 1.442695040888963407359924681001892137f;
  exponent = (exponent + toInteger) - toInteger;
  float rest = std::fma(exponent, -6.93145752e-1f, x);
  rest = std::fma(exponent, -1.42860677e-6f, rest);
  float above = 5.082762527590693718096e-04f;
  for (float coefficient :
       {6.757896990527504603057e-03f, 5.114512081637298353406e-02f,
        2.473615434895520810817e-01f, 7.257664613233124478488e-01f,
        9.999999999980870924916e-01f}) {
    above = std::fma(above, rest, coefficient);
  }
  float below = std::fma(2.159509375685829852307e-02f, rest,
                         -2.742335390411667452936e-01f);
  below = std::fma(below, rest, 1.0f);
  return std::ldexp(above / below, static_cast<int>(exponent));
}

float computeRoundedExp(float x) {
  return static_cast<float>(std::exp(static_cast<double>(x)));
}

float sumPairwise(llvm::ArrayRef<float> numbers) {
  constexpr size_t sumsAtOnce = 8, block = 128;
  const size_t count = numbers.size();
  if (count > block) {
    size_t half = count / 2;
    half -= half % sumsAtOnce;
    return sumPairwise(numbers.take_front(half)) +
           sumPairwise(numbers.drop_front(half));
  }
  float sum = 0.0f;
  size_t at = 0;
  if (count >= sumsAtOnce) {
    float sums[sumsAtOnce] = {};
    for (; at + sumsAtOnce <= count; at += sumsAtOnce) {
      for (size_t each = 0; each < sumsAtOnce; ++each) {
        sums[each] += numbers[at + each];
      }
    }
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
          ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; at < count; ++at) {
    sum += numbers[at];
  }
  return sum;
}

std::vector<float> computeNorms(llvm::ArrayRef<float> values,
                                llvm::ArrayRef<int64_t> shape, size_t kept) {
  const size_t norms = static_cast<size_t>(shape[kept]),
               each = values.size() / norms;
  std::vector<float> squares(values.begin(), values.end());
  for (float &value : squares) {
    value *= value;
  }
  std::vector<float> result(norms, 0.0f);
  if (kept == 0 || norms == 1) {
    for (size_t i = 0; i < norms; ++i) {
      result[i] = sumPairwise(llvm::ArrayRef(squares).slice(i * each, each));
    }
  } else {
    // Row after row onto all sums at once.
    for (size_t at = 0; at < squares.size(); ++at) {
      result[at % norms] += squares[at];
    }
  }
  for (float &norm : result) {
    norm = std::sqrt(norm);
  }
  return result;
}

} // namespace accel::onnx
