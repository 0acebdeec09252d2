// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/configuration.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace accel::cuda_double::nccl {
namespace {

constexpr char kPrefix[] = "ACCEL_DOUBLE_NCCL_";

[[noreturn]] void Refuse(const std::string& entry, const char* expected) {
  std::fprintf(stderr, "double of NCCL: %s: expected %s\n", entry.c_str(),
               expected);
  std::abort();
}

void Set(Configuration& to, const std::string& entry) {
  const size_t equals = entry.find('=');
  const std::string name = entry.substr(0, equals);
  const std::string value = entry.substr(equals + 1);
  int used = 0;
  if (name == "ACCEL_DOUBLE_NCCL_VERSION") {
    if (std::sscanf(value.c_str(), "%d%n", &to.version, &used) != 1 ||
        static_cast<size_t>(used) != value.size() || to.version < 1) {
      Refuse(entry, "a number as of ncclGetVersion");
    }
  } else if (name == "ACCEL_DOUBLE_NCCL_ASYNC") {
    unsigned long long number = 0;
    int end = 0;
    const int found =
        std::sscanf(value.c_str(), "%d@%llu%n/%d%n", &to.async_code, &number,
                    &used, &to.async_rank, &end);
    if (found == 3) {
      used = end;
    }
    if (found < 2 || static_cast<size_t>(used) != value.size() || number == 0 ||
        to.async_code < 1) {
      Refuse(entry, "CODE@N or CODE@N/RANK");
    }
    to.async_number = number;
  } else if (name == "ACCEL_DOUBLE_NCCL_ORDER") {
    if (value != "gpu" && value != "communicator") {
      Refuse(entry, "gpu or communicator");
    }
    to.is_ordered_by_gpu = value == "gpu";
  } else {
    Refuse(entry, "a name that the double knows");
  }
}

Configuration FromEnvironment() {
  Configuration result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind(kPrefix, 0) == 0) {
      Set(result, text);
    }
  }
  const char* seed = std::getenv("ACCEL_DOUBLE_SEED");
  result.seed = seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
  return result;
}

}  // namespace

const Configuration& TheConfiguration() {
  static const Configuration configuration = FromEnvironment();
  return configuration;
}

uint64_t Hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t z = 0;
  for (uint64_t part : {a, b, c}) {
    // SplitMix64.
    z += part + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
  }
  return z;
}

}  // namespace accel::cuda_double::nccl
