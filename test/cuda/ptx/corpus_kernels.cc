// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/corpus_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/hash.h"

namespace accel::ptx {
namespace {

constexpr double kBf16Error = 0x1p-8;
constexpr double kF32Error = 1e-6;

float FromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}
// Truncated: the inputs need not be rounded well.
uint16_t ToBf16(double value) {
  return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
}

// A number in [-1, 1) that depends on both arguments.
double Noise(uint64_t tensor, uint64_t index) {
  return std::ldexp(static_cast<double>(Hash(tensor, index) >> 11), -52) - 1;
}

// One tensor in memory of its own between red zones.
template <typename T>
class Tensor {
 public:
  Tensor(GlobalMemory& memory, const char* name, size_t count,
         Access access = Access::kReadWrite,
         Contents contents = Contents::kInitialised)
      : count_(count) {
    data_ = static_cast<T*>(
        *memory.Allocate(count * sizeof(T), 256, name, contents, access));
  }

  T* data() const { return data_; }
  size_t size() const { return count_; }
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

using Bf16 = Tensor<uint16_t>;
using F32 = Tensor<float>;

void FillNoise(const Bf16& tensor, uint64_t seed, double scale, double mean) {
  for (size_t k = 0; k < tensor.size(); ++k) {
    tensor[k] = ToBf16(mean + scale * Noise(seed, k));
  }
}
void FillNoise(const F32& tensor, uint64_t seed, double scale, double mean) {
  for (size_t k = 0; k < tensor.size(); ++k) {
    tensor[k] = static_cast<float>(mean + scale * Noise(seed, k));
  }
}

constexpr Access kInput = Access::kReadOnly;
constexpr Access kInPlace = Access::kReadWrite;

class Case {
 public:
  Case(const std::string& text, const Options& options)
      : module_(Module::Parse(text)),
        options_(options),
        status_(module_.status()) {
    // A perturbed rsqrt and its like make the results less exact.
    if (options.approximation == Approximation::kPerturbed) {
      slack_ = 4;
    }
  }

  GlobalMemory& memory() { return memory_; }

  template <typename... Arguments>
  void Run(const char* name, Dim3 grid, Dim3 block,
           const Arguments&... arguments) {
    if (!status_.ok()) {
      return;
    }
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    (launch.Add(arguments), ...);
    status_ = ptx::Run(*module_->Find(name), launch, memory_, options_);
  }

  void Expect(const char* what, size_t index, double got, double expected,
              double relative, double absolute = 1e-30) {
    const double limit = slack_ * (relative * std::fabs(expected) + absolute);
    if (status_.ok() && !(std::fabs(got - expected) <= limit)) {
      status_ = absl::DataLossError(absl::StrCat(
          what, "[", index, "]: expected ", expected, ", got ", got));
    }
  }

  template <typename T>
  void ExpectAllWritten(const Tensor<T>& tensor) {
    if (status_.ok() &&
        !memory_.IsWritten(tensor.data(), tensor.size() * sizeof(T))) {
      status_ = absl::DataLossError("not all of an output is written");
    }
  }

  absl::Status status() const { return status_; }

 private:
  absl::StatusOr<Module> module_;
  Options options_;
  GlobalMemory memory_;
  absl::Status status_;
  double slack_ = 1;
};

}  // namespace

absl::Status RunBiasGelu(const std::string& text, const Options& options) {
  constexpr size_t kRows = 2;
  constexpr size_t kColumns = 3072;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kColumns, kInput);
  const Bf16 bias(test.memory(), "bias", kColumns, kInput);
  const Bf16 y(test.memory(), "y", kRows * kColumns, kInPlace,
               Contents::kPoisoned);
  FillNoise(x, 1, 4, 0);
  FillNoise(bias, 2, 1, 0);
  test.Run("bias_gelu", {kRows}, {192}, x.data(), bias.data(), y.data());
  test.ExpectAllWritten(y);
  for (size_t k = 0; k < x.size(); ++k) {
    const double u = double{FromBf16(x[k])} + FromBf16(bias[k % kColumns]);
    const double z = std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u);
    test.Expect("y", k, FromBf16(y[k]), u / (1 + std::exp(-2 * z)), kBf16Error);
  }
  return test.status();
}

absl::Status RunRmsNorm(const std::string& text, const Options& options) {
  constexpr size_t kRows = 3;
  constexpr size_t kColumns = 4096;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kColumns, kInput);
  const Bf16 gamma(test.memory(), "gamma", kColumns, kInput);
  const Bf16 y(test.memory(), "y", kRows * kColumns, kInPlace,
               Contents::kPoisoned);
  const F32 rstd(test.memory(), "rstd", kRows, kInPlace, Contents::kPoisoned);
  FillNoise(x, 3, 2, 0.5);
  FillNoise(gamma, 4, 1, 1);
  test.Run("rms_norm", {kRows}, {256}, x.data(), gamma.data(), y.data(),
           rstd.data());
  test.ExpectAllWritten(y);
  test.ExpectAllWritten(rstd);
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t c = 0; c < kColumns; ++c) {
      sum += std::pow(FromBf16(x[row * kColumns + c]), 2);
    }
    const double r = 1 / std::sqrt(sum / kColumns + 1e-5);
    test.Expect("rstd", row, rstd[row], r, kF32Error);
    for (size_t c = 0; c < kColumns; ++c) {
      const size_t k = row * kColumns + c;
      test.Expect("y", k, FromBf16(y[k]),
                  FromBf16(x[k]) * r * FromBf16(gamma[c]), kBf16Error);
    }
  }
  return test.status();
}

namespace {

constexpr size_t kNormColumns = 768;

struct Moments {
  double mean = 0;
  double rstd = 0;
};

Moments MomentsOf(const Bf16& x, size_t row) {
  Moments moments;
  for (size_t c = 0; c < kNormColumns; ++c) {
    moments.mean += FromBf16(x[row * kNormColumns + c]) / kNormColumns;
  }
  double variance = 0;
  for (size_t c = 0; c < kNormColumns; ++c) {
    variance +=
        std::pow(FromBf16(x[row * kNormColumns + c]) - moments.mean, 2) /
        kNormColumns;
  }
  moments.rstd = 1 / std::sqrt(variance + 1e-5);
  return moments;
}

}  // namespace

absl::Status RunLayerNorm(const std::string& text, const Options& options) {
  constexpr size_t kRows = 16;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kNormColumns, kInput);
  const Bf16 gamma(test.memory(), "gamma", kNormColumns, kInput);
  const Bf16 beta(test.memory(), "beta", kNormColumns, kInput);
  const Bf16 y(test.memory(), "y", x.size(), kInPlace, Contents::kPoisoned);
  const F32 mean(test.memory(), "mean", kRows, kInPlace, Contents::kPoisoned);
  const F32 rstd(test.memory(), "rstd", kRows, kInPlace, Contents::kPoisoned);
  FillNoise(x, 5, 2, 0.5);
  FillNoise(gamma, 6, 1, 1);
  FillNoise(beta, 7, 1, 0);
  test.Run("layer_norm", {kRows / 8}, {256}, x.data(), gamma.data(),
           beta.data(), y.data(), mean.data(), rstd.data());
  test.ExpectAllWritten(y);
  for (size_t row = 0; row < kRows; ++row) {
    const Moments moments = MomentsOf(x, row);
    test.Expect("mean", row, mean[row], moments.mean, kF32Error, 1e-6);
    test.Expect("rstd", row, rstd[row], moments.rstd, kF32Error);
    for (size_t c = 0; c < kNormColumns; ++c) {
      const size_t k = row * kNormColumns + c;
      const double h = (FromBf16(x[k]) - moments.mean) * moments.rstd;
      test.Expect("y", k, FromBf16(y[k]),
                  h * FromBf16(gamma[c]) + FromBf16(beta[c]), kBf16Error, 1e-5);
    }
  }
  return test.status();
}

absl::Status RunLayerNormGrad(const std::string& text, const Options& options) {
  constexpr size_t kBlocks = 2;
  constexpr size_t kRows = 32 * kBlocks;
  constexpr size_t kPartialRows = 256;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kNormColumns, kInput);
  const Bf16 dy(test.memory(), "dy", x.size(), kInput);
  const Bf16 gamma(test.memory(), "gamma", kNormColumns, kInput);
  const F32 mean(test.memory(), "mean", kRows, kInput);
  const F32 rstd(test.memory(), "rstd", kRows, kInput);
  const Bf16 dx(test.memory(), "dx", x.size(), kInPlace, Contents::kPoisoned);
  const F32 part(test.memory(), "part", 2 * kPartialRows * kNormColumns);
  const F32 out(test.memory(), "out", 2 * kNormColumns, kInPlace,
                Contents::kPoisoned);
  FillNoise(x, 8, 2, 0.5);
  FillNoise(dy, 9, 1, 0);
  FillNoise(gamma, 10, 1, 1);
  std::fill_n(part.data(), part.size(), 0.0F);  // of the blocks that do not run
  std::vector<double> dgamma(kNormColumns);
  std::vector<double> dbeta(kNormColumns);
  std::vector<double> expected(x.size());
  for (size_t row = 0; row < kRows; ++row) {
    const Moments moments = MomentsOf(x, row);
    mean[row] = static_cast<float>(moments.mean);
    rstd[row] = static_cast<float>(moments.rstd);
    double sum = 0;
    double product = 0;
    for (size_t c = 0; c < kNormColumns; ++c) {
      const size_t k = row * kNormColumns + c;
      const double h = (FromBf16(x[k]) - moments.mean) * moments.rstd;
      const double g = FromBf16(dy[k]) * FromBf16(gamma[c]);
      sum += g / kNormColumns;
      product += g * h / kNormColumns;
      dgamma[c] += FromBf16(dy[k]) * h;
      dbeta[c] += FromBf16(dy[k]);
    }
    for (size_t c = 0; c < kNormColumns; ++c) {
      const size_t k = row * kNormColumns + c;
      const double h = (FromBf16(x[k]) - moments.mean) * moments.rstd;
      const double g = FromBf16(dy[k]) * FromBf16(gamma[c]);
      expected[k] = (g - sum - h * product) * moments.rstd;
    }
  }
  test.Run("layer_norm_grad", {kBlocks}, {96, 4}, x.data(), dy.data(),
           gamma.data(), mean.data(), rstd.data(), dx.data(), part.data());
  test.Run("fold", {kNormColumns / 32, 2}, {32, 8}, part.data(), out.data());
  test.ExpectAllWritten(dx);
  for (size_t k = 0; k < x.size(); ++k) {
    test.Expect("dx", k, FromBf16(dx[k]), expected[k], kBf16Error, 1e-5);
  }
  for (size_t c = 0; c < kNormColumns; ++c) {
    test.Expect("dgamma", c, out[c], dgamma[c], kF32Error, 2e-5);
    test.Expect("dbeta", c, out[kNormColumns + c], dbeta[c], kF32Error, 2e-5);
  }
  return test.status();
}

absl::Status RunCrossEntropy(const std::string& text, const Options& options) {
  constexpr size_t kRows = 2;
  constexpr size_t kColumns = 50304;
  constexpr size_t kLabel = 777;
  constexpr double kScale = 0.5;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kColumns);
  const Tensor<int32_t> label(test.memory(), "label", kRows, kInput);
  const F32 scale(test.memory(), "scale", 1, kInput);
  const F32 loss(test.memory(), "loss", kRows, kInPlace, Contents::kPoisoned);
  FillNoise(x, 11, 8, 0);
  const std::vector<uint16_t> logits(x.data(), x.data() + x.size());
  label[0] = kLabel;
  label[1] = -100;  // ignored: its gradient is zero
  scale[0] = kScale;
  test.Run("cross_entropy", {kRows}, {256}, x.data(), label.data(),
           scale.data(), loss.data());
  double sum = 0;
  for (size_t c = 0; c < kColumns; ++c) {
    sum += std::exp(double{FromBf16(logits[c])});
  }
  test.Expect("loss", 0, loss[0], std::log(sum) - FromBf16(logits[kLabel]),
              1e-5);
  test.Expect("loss", 1, loss[1], 0, 0);
  for (size_t c = 0; c < kColumns; ++c) {
    const double one = c == kLabel ? 1 : 0;
    const double p = std::exp(double{FromBf16(logits[c])}) / sum;
    test.Expect("dx", c, FromBf16(x[c]), (p - one) * kScale, kBf16Error * 1.01);
    test.Expect("dx", kColumns + c, FromBf16(x[kColumns + c]), 0, 0);
  }
  return test.status();
}

absl::Status RunAdamw(const std::string& text, const Options& options) {
  constexpr size_t kCount = 1024 + 516;
  Case test(text, options);
  const F32 p(test.memory(), "p", kCount);
  const F32 g(test.memory(), "g", kCount);
  const F32 m(test.memory(), "m", kCount);
  const F32 v(test.memory(), "v", kCount);
  const Bf16 copy(test.memory(), "copy", kCount, kInPlace, Contents::kPoisoned);
  const F32 s(test.memory(), "s", 8, kInput);
  FillNoise(p, 12, 1, 0);
  FillNoise(g, 13, 0.1, 0);
  FillNoise(m, 14, 0.1, 0);
  FillNoise(v, 15, 0.1, 0.1);
  const float values[] = {1e-3F, 0.9F, 0.95F, 1e-8F, 0.1F, 1.5F, 2.5F, 0.25F};
  std::copy(std::begin(values), std::end(values), s.data());
  std::vector<double> new_p(kCount);
  std::vector<double> new_m(kCount);
  std::vector<double> new_v(kCount);
  for (size_t k = 0; k < kCount; ++k) {
    const double gradient = double{g[k]} * s[7];
    new_m[k] = double{m[k]} * s[1] + gradient * (1 - double{s[1]});
    new_v[k] = double{v[k]} * s[2] + gradient * gradient * (1 - double{s[2]});
    const double step = new_m[k] * s[5] / (std::sqrt(new_v[k] * s[6]) + s[3]);
    new_p[k] = p[k] - double{s[0]} * (step + double{p[k]} * s[4]);
  }
  test.Run("adamw", {2}, {256}, p.data(), g.data(), m.data(), v.data(),
           copy.data(), s.data(), uint64_t{kCount});
  test.ExpectAllWritten(copy);
  for (size_t k = 0; k < kCount; ++k) {
    test.Expect("p", k, p[k], new_p[k], kF32Error, 1e-7);
    test.Expect("m", k, m[k], new_m[k], kF32Error, 1e-8);
    test.Expect("v", k, v[k], new_v[k], kF32Error, 1e-8);
    test.Expect("g", k, g[k], 0, 0);
    test.Expect("copy", k, FromBf16(copy[k]), new_p[k], kBf16Error, 1e-7);
  }
  return test.status();
}

namespace {

double ValueOfE4m3(uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int mantissa = bits & 7;
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, -9)
                               : std::ldexp(8 + mantissa, exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// Whether no other number of e4m3 lies nearer.
bool IsNearestE4m3(double value, uint8_t bits) {
  value = std::clamp(value, -448.0, 448.0);
  const double error = std::fabs(ValueOfE4m3(bits) - value);
  for (int other = 0; other < 256; ++other) {
    const bool nan = (other & 0x7f) == 0x7f;
    if (!nan && std::fabs(ValueOfE4m3(other) - value) < error) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::Status RunCastTranspose(const std::string& text, const Options& options) {
  constexpr size_t kRows = 64;
  constexpr size_t kColumns = 4096;
  constexpr size_t kUsed = 128;  // columns, of two blocks
  constexpr size_t kAllRows = 8192;
  constexpr float kScale = 100;
  Case test(text, options);
  const Bf16 x(test.memory(), "x", kRows * kColumns, kInput);
  const F32 scale(test.memory(), "scale", 1, kInput);
  const Tensor<uint8_t> q(test.memory(), "q", kRows * kColumns, kInPlace,
                          Contents::kPoisoned);
  const Tensor<uint8_t> qt(test.memory(), "qt", kUsed * kAllRows, kInPlace,
                           Contents::kPoisoned);
  const F32 amax(test.memory(), "amax", 1);
  FillNoise(x, 16, 3, 0);
  x[5 * kColumns + 70] = ToBf16(-17);  // the only maximum, and too large
  scale[0] = kScale;
  amax[0] = 0;
  test.Run("cast_transpose_e4m3", {kUsed / 64, 1}, {128}, x.data(),
           scale.data(), q.data(), qt.data(), amax.data());
  double greatest = 0;
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t c = 0; c < kUsed; ++c) {
      const size_t k = row * kColumns + c;
      const double value = FromBf16(x[k]);
      greatest = std::max(greatest, std::fabs(value));
      if (test.status().ok() &&
          !IsNearestE4m3(static_cast<float>(value * kScale), q[k])) {
        test.Expect("q", k, ValueOfE4m3(q[k]), value * kScale, 0);
      }
      test.Expect("qt", c * kAllRows + row, qt[c * kAllRows + row], q[k], 0);
    }
  }
  test.Expect("amax", 0, amax[0], greatest, 0);
  return test.status();
}

absl::Status RunEmbeddingGrad(const std::string& text, const Options& options) {
  constexpr size_t kPositions = 24;
  constexpr size_t kTokens = 4;
  Case test(text, options);
  const Bf16 dy(test.memory(), "dy", kPositions * kNormColumns, kInput);
  const Tensor<int32_t> order(test.memory(), "order", kPositions, kInput);
  const Tensor<int32_t> segments(test.memory(), "segments", 4 * 4, kInput);
  const Tensor<int32_t> folds(test.memory(), "folds", 4, kInput);
  const F32 dw(test.memory(), "dw", kTokens * kNormColumns);
  const F32 part(test.memory(), "part", 2 * kNormColumns, kInPlace,
                 Contents::kPoisoned);
  FillNoise(dy, 17, 1, 0);
  FillNoise(dw, 18, 1, 0);
  // Tokens 0 and 2 have a segment each, token 3 has two, token 1 has none.
  const int32_t rows[4][4] = {
      {0, 7, 0, 0}, {7, 8, 2, 0}, {8, 20, 0, 1}, {20, 24, 1, 1}};
  std::copy_n(&rows[0][0], 16, segments.data());
  const int32_t fold[] = {0, 2, 3, 0};
  std::copy_n(fold, 4, folds.data());
  std::vector<double> expected(dw.data(), dw.data() + dw.size());
  for (size_t k = 0; k < kPositions; ++k) {
    order[k] = static_cast<int32_t>((k * 7) % kPositions);
    const size_t token = k < 7 ? 0 : k < 8 ? 2 : 3;
    for (size_t c = 0; c < kNormColumns; ++c) {
      expected[token * kNormColumns + c] +=
          FromBf16(dy[order[k] * kNormColumns + c]);
    }
  }
  test.Run("embed_grad", {4}, {96}, dy.data(), order.data(), segments.data(),
           dw.data(), part.data());
  test.Run("embed_fold", {1}, {192}, part.data(), folds.data(), dw.data());
  for (size_t k = 0; k < dw.size(); ++k) {
    test.Expect("dw", k, dw[k], expected[k], kF32Error, 1e-5);
  }
  return test.status();
}

}  // namespace accel::ptx
