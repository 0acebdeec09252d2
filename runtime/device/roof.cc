// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of the library, and a pass over memory.
#include "runtime/device/roof.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cpu_gemm.h"

namespace accel::runtime {
namespace {

constexpr int kRounds = 7;
constexpr uint64_t kSize = 1024;           // of the matrices
constexpr int64_t kElements = 16'777'216;  // beyond any cache's size
constexpr int64_t kGrain = 4096;

double BestSeconds(absl::FunctionRef<void()> round) {
  double best = 1e9;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    round();
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, elapsed.count());
  }
  return best;
}

void FillMatrix(planpb::Matrix* matrix) {
  matrix->set_dtype(planpb::ELEMENT_F32);
  matrix->set_row_stride(kSize);
  matrix->set_column_stride(1);
  matrix->add_batch_strides(kSize * kSize);
}

absl::StatusOr<double> MeasureFlops(const ThreadTeam& team) {
  const auto threads = static_cast<uint64_t>(team.threads());
  planpb::Gemm product;
  product.add_batch(threads);
  product.set_m(kSize);
  product.set_n(kSize);
  product.set_k(kSize);
  FillMatrix(product.mutable_a());
  FillMatrix(product.mutable_b());
  FillMatrix(product.mutable_c());
  product.set_alpha(1);
  product.set_accumulate_dtype(planpb::ELEMENT_F32);
  ASSIGN_OR_RETURN(const auto gemm, CpuGemm::Create(product, team.threads()));
  const std::vector<float> a(threads * kSize * kSize, 0.5f);
  const std::vector<float> b(threads * kSize * kSize, 0.25f);
  std::vector<float> c(threads * kSize * kSize);
  std::vector<std::byte> workspace(gemm->workspace_bytes());
  const CpuGemm::Operands operands{a.data(), b.data(), c.data(),
                                   workspace.data()};
  RETURN_IF_ERROR(gemm->Run(operands, team));
  const double seconds =
      BestSeconds([&] { gemm->Run(operands, team).IgnoreError(); });
  return 2.0 * kSize * kSize * kSize * static_cast<double>(threads) / seconds;
}

double MeasureBytes(const ThreadTeam& team) {
  std::vector<float> x(kElements, 1.0f);
  const std::vector<float> y(kElements, 1e-3f);
  const double seconds = BestSeconds([&] {
    team.ParallelFor(0, kElements, kGrain,
                     [&](int, int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         x[i] = x[i] * 0.5f + y[i];
                       }
                     });
  });
  return 3.0 * sizeof(float) * kElements / seconds;
}

}  // namespace

// Two arrays, or three matrices for each thread, and what the library takes.
uint64_t RoofMemoryBytes(int threads) {
  const uint64_t arrays = 2 * sizeof(float) * uint64_t{kElements};
  const uint64_t matrices =
      3 * sizeof(float) * kSize * kSize * static_cast<uint64_t>(threads);
  return std::max(arrays, matrices) + (uint64_t{64} << 20);
}

absl::StatusOr<Roof> MeasureRoof(const ThreadTeam& team) {
  Roof roof;
  ASSIGN_OR_RETURN(roof.flops_per_second, MeasureFlops(team));
  roof.bytes_per_second = MeasureBytes(team);
  return roof;
}

double RoofSeconds(const Roof& roof, uint64_t flops, uint64_t bytes) {
  return std::max(static_cast<double>(flops) / roof.flops_per_second,
                  static_cast<double>(bytes) / roof.bytes_per_second);
}

}  // namespace accel::runtime
