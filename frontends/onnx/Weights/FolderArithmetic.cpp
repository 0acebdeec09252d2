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

/// A quotient of polynomials of what is left of x without its exponent.
float computeNumpyLog(float x) {
  if (!(x > 0.0f) || std::isinf(x)) {
    return x == 0.0f ? -std::numeric_limits<float>::infinity()
                     : (x > 0.0f ? x : std::numeric_limits<float>::quiet_NaN());
  }
  int exponent = 0;
  float rest = std::frexp(x, &exponent);
  if (rest > 0x1.6a09e6p-1f) { // the root of 1/2
    rest -= 1.0f;
  } else {
    rest = 2.0f * rest - 1.0f;
    --exponent;
  }
  float above = 2.589979117907922693523e-02f,
        below = 5.875095403124574342950e-03f;
  for (float coefficient :
       {3.808837741388407920751e-01f, 1.480000633576506585156e+00f,
        2.112677543073053063722e+00f, 9.999999999999998702752e-01f, 0.0f}) {
    above = std::fma(above, rest, coefficient);
  }
  for (float coefficient :
       {1.546476374983906719538e-01f, 9.864942958519418960339e-01f,
        2.453006071784736363091e+00f, 2.612677543073109236779e+00f, 1.0f}) {
    below = std::fma(below, rest, coefficient);
  }
  return std::fma(static_cast<float>(exponent), 0x1.62e43p-1f, above / below);
}

namespace {

float computeRoundedExp(float x) {
  return static_cast<float>(std::exp(static_cast<double>(x)));
}

float computeRoundedLog(float x) {
  return static_cast<float>(std::log(static_cast<double>(x)));
}

float computeRoundedLog1p(float x) {
  return static_cast<float>(std::log1p(static_cast<double>(x)));
}

/// glibc's expf of a number that is not positive: in f64, a 32nd of a power of
/// two from a table and a polynomial of the rest.
float computeGlibcExp(float x) {
  constexpr double powers[] = {
      0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0,
      0x1.11301d0125b51p+0, 0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0,
      0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0, 0x1.306fe0a31b715p+0,
      0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
      0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0,
      0x1.6247eb03a5585p+0, 0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0,
      0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0, 0x1.8ace5422aa0dbp+0,
      0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
      0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0,
      0x1.cb720dcef9069p+0, 0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0,
      0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
  constexpr int count = 32;
  constexpr float smallest = -103.97208404541015625f;
  if (x < smallest) {
    return 0.0f;
  }
  constexpr double parts = 0x1.71547652b82fep+5, toInteger = 0x1.8p+52;
  double whole = (parts * x + toInteger) - toInteger;
  double rest = std::fma(parts, x, -whole);
  double power =
      std::fma(std::fma(0x1.c6af84b912394p-20, rest, 0x1.ebfce50fac4f3p-13),
               rest * rest, std::fma(0x1.62e42ff0c52d6p-6, rest, 1.0));
  int index = static_cast<int>(whole);
  int place = index & (count - 1);
  return static_cast<float>(
      std::ldexp(power * powers[place], (index - place) / count));
}

/// glibc's log1pf of a number from 0 to 1, up to 2.40. 1 + x is 2^k (1 + f),
/// and log(1 + f) an odd polynomial of f / (2 + f).
float computeGlibcLog1p(float x) {
  constexpr float rootOfTwo = 0x1.6a09eep+0f, high = 0x1.62e3p-1f,
                  low = 0x1.2fefa2p-17f;
  if (x < 0x1p-29f) {
    return x < 0x1p-54f ? x : x - x * x * 0.5f;
  }
  float k = 0.0f, f = x, lost = 0.0f;
  if (x >= 0x1.a827aep-2f) {
    float sum = 1.0f + x;
    k = sum < 2.0f ? 0.0f : 1.0f;
    lost = (k == 0.0f ? x - (sum - 1.0f) : 1.0f - (sum - x)) / sum;
    float fraction = k == 0.0f ? sum : 0.5f * sum;
    if (fraction >= rootOfTwo) {
      k += 1.0f;
      fraction *= 0.5f;
    }
    f = fraction - 1.0f;
  }
  float half = 0.5f * f * f;
  float s = f / (2.0f + f), z = s * s;
  float sum = 0x1.2f112ep-3f;
  for (float coefficient : {0x1.39a09ep-3f, 0x1.74664ap-3f, 0x1.c71c52p-3f,
                            0x1.24924ap-2f, 0x1.99999ap-2f, 0x1.555556p-1f}) {
    sum = coefficient + z * sum;
  }
  sum *= z;
  if (k == 0.0f) {
    return f - (half - s * (half + sum));
  }
  return k * high - ((half - (s * (half + sum) + (k * low + lost))) - f);
}

/// log(exp(0) + exp(x)), of which `exp` and `log1p` get arguments that neither
/// overflow nor cancel.
float addExponentials(float x, float (*exp)(float), float (*log1p)(float)) {
  if (x == 0.0f) {
    return 0x1.62e43p-1f; // log(2)
  }
  float rest = log1p(exp(x > 0.0f ? -x : x));
  return x > 0.0f ? x + rest : rest;
}

} // namespace

float computeNumpySoftplus(float x) {
  return addExponentials(x, computeGlibcExp, computeGlibcLog1p);
}

llvm::ArrayRef<FolderLibrary> getFolderLibraries() {
  static constexpr FolderLibrary libraries[] = {
      {computeNumpyExp, computeNumpyLog, computeNumpySoftplus},
      {computeNumpyExp, computeNumpyLog,
       [](float x) {
         return addExponentials(x, computeGlibcExp, computeRoundedLog1p);
       }},
      {computeRoundedExp, computeRoundedLog, [](float x) {
         return addExponentials(x, computeRoundedExp, computeRoundedLog1p);
       }}};
  return libraries;
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
