// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiply-adds in registers, and a pass over memory.
#include "runtime/device/cpu/cpu_roofline.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cpu/cpu_features.h"

namespace accel::runtime {
namespace {

constexpr int kMeasurements = 7;
constexpr int64_t kMultiplyAdds = 2'000'000;  // of a chain: some milliseconds
constexpr int64_t kElements = 16'777'216;     // beyond any cache's size
constexpr int64_t kGrain = 4096;

double BestSeconds(absl::FunctionRef<void()> work) {
  double best = 1e9;
  for (int i = 0; i < kMeasurements; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, elapsed.count());
  }
  return best;
}

// Chains of multiply-adds that wait for nobody but themselves, as many as hide
// how long one takes. Each returns what they add up to. Indices are constants,
// so that the sums stay in registers.
using Chains = std::make_integer_sequence<int, 10>;

template <int... I>
__attribute__((target("avx2,fma"))) float MultiplyAddAvx2(
    int64_t iterations, std::integer_sequence<int, I...>) {
  __m256 sums[] = {_mm256_set1_ps(static_cast<float>(I))...};
  const __m256 factor = _mm256_set1_ps(0.5f);
  for (int64_t i = 0; i < iterations; ++i) {
    ((sums[I] = _mm256_fmadd_ps(sums[I], factor, factor)), ...);
  }
  return (_mm256_cvtss_f32(sums[I]) + ...);
}

template <int... I>
__attribute__((target("avx512f"))) float MultiplyAddAvx512(
    int64_t iterations, std::integer_sequence<int, I...>) {
  __m512 sums[] = {_mm512_set1_ps(static_cast<float>(I))...};
  const __m512 factor = _mm512_set1_ps(0.5f);
  for (int64_t i = 0; i < iterations; ++i) {
    ((sums[I] = _mm512_fmadd_ps(sums[I], factor, factor)), ...);
  }
  return (_mm512_cvtss_f32(sums[I]) + ...);
}

absl::StatusOr<double> MeasureFlops(const ThreadPool& pool) {
  const CpuDescription cpu = DescribeHostCpu();
  const bool is_wide = cpu.Has("avx512f");
  if (!is_wide && !(cpu.Has("avx2") && cpu.Has("fma"))) {
    return absl::UnimplementedError(absl::StrCat(
        "measuring the roofline: expected a processor with AVX2 and FMA, got ",
        cpu.brand));
  }
  const auto chains = [is_wide](int64_t iterations) {
    return is_wide ? MultiplyAddAvx512(iterations, Chains())
                   : MultiplyAddAvx2(iterations, Chains());
  };
  std::vector<float> sums(pool.threads());
  const double seconds = BestSeconds([&] {
    pool.ParallelFor(0, pool.threads(), 1,
                     [&](int thread, int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         sums[thread] += chains(kMultiplyAdds);
                       }
                     });
  });
  // A multiply-add is two operations on each element of a vector.
  return 2.0 * (is_wide ? 16 : 8) * Chains::size() * kMultiplyAdds *
         pool.threads() / seconds;
}

double MeasureBytes(const ThreadPool& pool) {
  std::vector<float> x(kElements, 1.0f);
  const std::vector<float> y(kElements, 1e-3f);
  const double seconds = BestSeconds([&] {
    pool.ParallelFor(0, kElements, kGrain,
                     [&](int, int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         x[i] = x[i] * 0.5f + y[i];
                       }
                     });
  });
  return 3.0 * sizeof(float) * kElements / seconds;
}

}  // namespace

// Two arrays, and the threads' stacks.
uint64_t CpuRooflineMemoryBytes() {
  return 2 * sizeof(float) * uint64_t{kElements} + (uint64_t{16} << 20);
}

absl::StatusOr<Roofline> MeasureCpuRoofline(const ThreadPool& pool) {
  Roofline roofline;
  ASSIGN_OR_RETURN(roofline.flops_per_second, MeasureFlops(pool));
  roofline.bytes_per_second = MeasureBytes(pool);
  return roofline;
}

}  // namespace accel::runtime
