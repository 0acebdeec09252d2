// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what the machine can do at most on so many threads, as JSON:
//   {"flops_per_second": F, "bytes_per_second": B}
#include <cstdio>

#include "absl/strings/numbers.h"
#include "runtime/device/roof.h"

int main(int argc, char **argv) {
  int threads = 0;
  if (argc != 2 || !absl::SimpleAtoi(argv[1], &threads) || threads < 1) {
    std::fprintf(stderr, "usage: benchmark-roof THREADS\n");
    return 2;
  }
  const auto team = accel::runtime::ThreadTeam::Create(threads);
  const auto roof = team.ok()
                        ? accel::runtime::MeasureRoof(*team)
                        : absl::StatusOr<accel::runtime::Roof>(team.status());
  if (!roof.ok()) {
    std::fprintf(stderr, "benchmark-roof: %s\n",
                 roof.status().ToString().c_str());
    return 1;
  }
  std::printf("{\"flops_per_second\": %.6g, \"bytes_per_second\": %.6g}\n",
              roof->flops_per_second, roof->bytes_per_second);
  return 0;
}
