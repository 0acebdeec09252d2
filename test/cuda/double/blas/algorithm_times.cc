// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/algorithm_times.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace accel::cuda_double::blas {
namespace {

std::map<int32_t, uint64_t> ReadTimes() {
  std::map<int32_t, uint64_t> times;
  const char* at = std::getenv("ACCEL_DOUBLE_BLAS_TIMES");
  while (at != nullptr && *at != 0) {
    int id = 0;
    unsigned microseconds = 0;
    int length = 0;
    if (std::sscanf(at, "%d=%u%n", &id, &microseconds, &length) != 2 ||
        (at[length] != 0 && at[length] != ',')) {
      std::fprintf(stderr,
                   "cublasLt double: ACCEL_DOUBLE_BLAS_TIMES: expected "
                   "ID=MICROSECONDS,..., got '%s'\n",
                   at);
      std::abort();
    }
    times[id] = uint64_t{1000} * microseconds;
    at += length + (at[length] == ',' ? 1 : 0);
  }
  return times;
}

}  // namespace

uint64_t ExtraNanoseconds(int32_t algorithm) {
  static const std::map<int32_t, uint64_t> kTimes = ReadTimes();
  const auto found = kTimes.find(algorithm);
  return found == kTimes.end() ? 0 : found->second;
}

}  // namespace accel::cuda_double::blas
