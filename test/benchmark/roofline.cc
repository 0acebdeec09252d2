// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what the machine can do on so many threads, as JSON:
//   {"flops_per_second": F, "bytes_per_second": B}
// F is of oneDNN, on each thread a product of 1024 x 1024 x 1024 floats: a
// yardstick that somebody else made. B is of the runtime's own measure.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "absl/strings/numbers.h"
#include "oneapi/dnnl/dnnl.h"
#include "runtime/device/cpu/cpu_roofline.h"

// Of the OpenMP that oneDNN brings: how many threads the calling one may use.
extern "C" void omp_set_num_threads(int threads);

namespace {

constexpr int kRounds = 7;
constexpr int64_t kSize = 1024;

// 0 after an error of the library.
double MeasureProducts(const accel::runtime::ThreadPool &pool) {
  const int64_t elements = kSize * kSize;
  const std::vector<float> a(pool.threads() * elements, 0.5f);
  const std::vector<float> b(pool.threads() * elements, 0.25f);
  std::vector<float> c(pool.threads() * elements);
  std::vector<dnnl_status_t> status(pool.threads(), dnnl_success);
  const auto multiply = [&](int thread, int64_t begin, int64_t end) {
    omp_set_num_threads(1);
    for (int64_t i = begin; i < end && status[thread] == dnnl_success; ++i) {
      status[thread] = dnnl_sgemm('N', 'N', kSize, kSize, kSize, 1.0f,
                                  &a[i * elements], kSize, &b[i * elements],
                                  kSize, 0.0f, &c[i * elements], kSize);
    }
  };
  double best = 1e9;
  // The first round makes the library's code.
  for (int round = 0; round <= kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    pool.ParallelFor(0, pool.threads(), 1, multiply);
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    best = round == 0 ? best : std::min(best, elapsed.count());
  }
  const bool works = std::all_of(status.begin(), status.end(), [](auto each) {
    return each == dnnl_success;
  });
  return works ? 2.0 * kSize * kSize * kSize * pool.threads() / best : 0;
}

} // namespace

int main(int argc, char **argv) {
  int threads = 0;
  if (argc != 2 || !absl::SimpleAtoi(argv[1], &threads) || threads < 1) {
    std::fprintf(stderr, "usage: benchmark-roofline THREADS\n");
    return 2;
  }
  const auto pool = accel::runtime::ThreadPool::Create(threads);
  const auto roofline =
      pool.ok() ? accel::runtime::MeasureCpuRoofline(*pool)
                : absl::StatusOr<accel::runtime::Roofline>(pool.status());
  const double flops = roofline.ok() ? MeasureProducts(*pool) : 0;
  if (flops == 0) {
    std::fprintf(stderr, "benchmark-roofline: %s\n",
                 roofline.ok() ? "oneDNN failed"
                               : roofline.status().ToString().c_str());
    return 1;
  }
  std::printf("{\"flops_per_second\": %.6g, \"bytes_per_second\": %.6g}\n",
              flops, roofline->bytes_per_second);
  return 0;
}
