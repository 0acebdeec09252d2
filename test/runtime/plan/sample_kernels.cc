// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the sample plan.
#include "test/runtime/plan/sample_kernels.h"

#include <cmath>
#include <cstring>

#include "test/runtime/plan/sample_plan.h"

namespace accel::testing {
namespace {

template <typename T>
T* Argument(void* const* buffers, int index) {
  return static_cast<T*>(buffers[index]);
}

}  // namespace

void PredictKernel(void* const* buffers, int64_t begin, int64_t end) {
  const float* x = Argument<float>(buffers, 0);
  const float* w = Argument<float>(buffers, 1);
  float* prediction = Argument<float>(buffers, 2);
  for (int64_t row = begin; row < end; ++row) {
    prediction[row] = 0;
    for (int feature = 0; feature < kFeatures; ++feature) {
      prediction[row] += x[row * kFeatures + feature] * w[feature];
    }
  }
}

void ResidualKernel(void* const* buffers, int64_t begin, int64_t end) {
  const float* prediction = Argument<float>(buffers, 0);
  const float* target = Argument<float>(buffers, 1);
  const float* weight = Argument<float>(buffers, 2);
  double* loss_sum = Argument<double>(buffers, 3);
  double* count = Argument<double>(buffers, 4);
  float* residual = Argument<float>(buffers, 5);
  for (int64_t i = begin; i < end; ++i) {
    residual[i] = (prediction[i] - target[i]) * weight[i];
    *loss_sum += double{residual[i]} * residual[i];
    *count += weight[i];
  }
}

void ScaleKernel(void* const* buffers, int64_t begin, int64_t end) {
  const float* residual = Argument<float>(buffers, 0);
  float* scaled = Argument<float>(buffers, 1);
  for (int64_t i = begin; i < end; ++i) {
    scaled[i] = residual[i];  // d(r^2) = 2 r, times 2^-1
  }
}

void GradientKernel(void* const* buffers, int64_t begin, int64_t end) {
  const float* x = Argument<float>(buffers, 0);
  const float* scaled = Argument<float>(buffers, 1);
  float* gradient = Argument<float>(buffers, 2);
  for (int64_t feature = begin; feature < end; ++feature) {
    for (int row = 0; row < kMicrobatch; ++row) {
      gradient[feature] += x[row * kFeatures + feature] * scaled[row];
    }
  }
}

void FinishKernel(void* const* buffers, int64_t, int64_t) {
  const double loss_sum = *Argument<double>(buffers, 0);
  const double count = *Argument<double>(buffers, 1);
  const float* gradient = Argument<float>(buffers, 2);
  const double scale = 2.0 / count;
  *Argument<double>(buffers, 4) = loss_sum / count;
  *Argument<double>(buffers, 5) = count;
  *Argument<double>(buffers, 6) = scale;
  *Argument<double>(buffers, 7) = *Argument<double>(buffers, 3);
  double square = 0;
  for (int i = 0; i < kFeatures; ++i) {
    square += std::pow(double{gradient[i]} * scale, 2);
  }
  *Argument<double>(buffers, 8) = std::sqrt(square);
}

void UpdateKernel(void* const* buffers, int64_t begin, int64_t end) {
  const float* gradient = Argument<float>(buffers, 0);
  const double step =
      *Argument<double>(buffers, 1) * *Argument<double>(buffers, 2);
  float* w = Argument<float>(buffers, 3);
  for (int64_t i = begin; i < end; ++i) {
    w[i] = static_cast<float>(w[i] - step * gradient[i]);
  }
}

std::string Trampoline(SampleKernel kernel) {
  // mov rax, imm64; jmp rax
  std::string code = "\x48\xb8";
  const auto address = reinterpret_cast<uintptr_t>(kernel);
  code.append(reinterpret_cast<const char*>(&address), sizeof address);
  code.append("\xff\xe0");
  code.resize(kTrampolineSize, '\xcc');
  return code;
}

}  // namespace accel::testing
