// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/engine_times.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "test/cuda/double/dnn/engines.h"

namespace accel::cuda_double::dnn {
namespace {

std::map<int64_t, uint64_t> ReadTimes() {
  std::map<int64_t, uint64_t> times;
  const char* value = std::getenv("ACCEL_DOUBLE_DNN_TIMES");
  std::istringstream items(value == nullptr ? "" : value);
  for (std::string item; std::getline(items, item, ',');) {
    std::istringstream numbers(item);
    int64_t engine = -1;
    uint64_t microseconds = 0;
    char equals = 0;
    if (!(numbers >> engine >> equals >> microseconds) || equals != '=' ||
        !numbers.eof() || engine < 0 || engine >= EngineCount()) {
      std::fprintf(stderr,
                   "double of cuDNN: ACCEL_DOUBLE_DNN_TIMES: expected "
                   "ENGINE=MICROSECONDS,..., got '%s'\n",
                   value);
      std::abort();
    }
    times[engine] = 1000 * microseconds;
  }
  return times;
}

}  // namespace

uint64_t ExtraNanoseconds(int64_t engine) {
  static const auto& times = *new std::map<int64_t, uint64_t>(ReadTimes());
  const auto found = times.find(engine);
  return found == times.end() ? 0 : found->second;
}

}  // namespace accel::cuda_double::dnn
