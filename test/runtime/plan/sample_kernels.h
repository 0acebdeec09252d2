// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the sample plan, as ordinary functions, and code that jumps to
// them.
#ifndef ACCEL_TEST_RUNTIME_PLAN_SAMPLE_KERNELS_H_
#define ACCEL_TEST_RUNTIME_PLAN_SAMPLE_KERNELS_H_

#include <cstdint>
#include <string>

namespace accel::testing {

using SampleKernel = void (*)(void* const* buffers, int64_t begin, int64_t end);

// x, w -> prediction; [begin, end) are rows
void PredictKernel(void* const* buffers, int64_t begin, int64_t end);
// prediction, t, weights, loss_sum, count -> residual; one call for all rows.
void ResidualKernel(void* const* buffers, int64_t begin, int64_t end);
// residual -> scaled
void ScaleKernel(void* const* buffers, int64_t begin, int64_t end);
// x, scaled -> gradient; [begin, end) are features
void GradientKernel(void* const* buffers, int64_t begin, int64_t end);
// loss_sum, count, gradient, lr -> loss, tokens, scale, lr_metric, grad_norm
void FinishKernel(void* const* buffers, int64_t begin, int64_t end);
// gradient, scale, lr -> w
void UpdateKernel(void* const* buffers, int64_t begin, int64_t end);

// x86-64 code that jumps to `kernel`, kTrampolineSize bytes.
inline constexpr uint64_t kTrampolineSize = 16;
std::string Trampoline(SampleKernel kernel);

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_SAMPLE_KERNELS_H_
