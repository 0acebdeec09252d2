// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/configuration.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "test/cuda/double/driver/entries.h"

namespace accel::cuda_double {
namespace {

constexpr absl::string_view kPrefix = "ACCEL_DOUBLE_";

// Half a configuration would let a test pass that tests nothing.
[[noreturn]] void Refuse(absl::string_view name, absl::string_view value,
                         absl::string_view expected) {
  std::fprintf(stderr, "cuda double: %s=%s: expected %s\n",
               std::string(name).c_str(), std::string(value).c_str(),
               std::string(expected).c_str());
  std::abort();
}

uint64_t Number(absl::string_view name, absl::string_view value,
                uint64_t least = 0) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number < least) {
    Refuse(name, value, least == 0 ? "a number" : "a number from 1");
  }
  return number;
}

// NAME@N, or NAME=CODE@N.
std::vector<Nth> List(absl::string_view name, absl::string_view value,
                      bool has_code) {
  const absl::string_view expected =
      has_code ? "ENTRY=CODE@N,..." : "KERNEL@N,...";
  std::vector<Nth> list;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    Nth nth;
    const size_t at = item.rfind('@');
    const size_t equals = has_code ? item.find('=') : at;
    if (at == item.npos || equals == item.npos || equals > at || equals == 0) {
      Refuse(name, value, expected);
    }
    nth.name = std::string(item.substr(0, equals));
    const absl::string_view code =
        has_code ? item.substr(equals + 1, at - equals - 1) : "1";
    if (!absl::SimpleAtoi(item.substr(at + 1), &nth.number) ||
        nth.number == 0 || !absl::SimpleAtoi(code, &nth.code) ||
        nth.code <= 0) {
      Refuse(name, value, expected);
    }
    if (has_code && !IsEntry(nth.name)) {
      Refuse(name, value, "an entry point that the double has");
    }
    list.push_back(nth);
  }
  return list;
}

std::vector<Capability> Capabilities(absl::string_view name,
                                     absl::string_view value) {
  std::vector<Capability> list;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, '.');
    Capability capability;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &capability.major) ||
        !absl::SimpleAtoi(parts[1], &capability.minor) ||
        capability.major < 1 || capability.minor < 0 || capability.minor > 9) {
      Refuse(name, value, "MAJOR.MINOR, for all devices or for each");
    }
    list.push_back(capability);
  }
  return list;
}

HostOrder Order(absl::string_view name, absl::string_view value) {
  if (value != "thread" && value != "signals") {
    Refuse(name, value, "thread or signals");
  }
  return value == "thread" ? HostOrder::kThread : HostOrder::kSignals;
}

bool Set(Configuration& to, absl::string_view name, absl::string_view value) {
  const absl::string_view key = name.substr(kPrefix.size());
  if (key == "GPUS" || key == "CAPABILITY") {
    return true;  // They depend on each other.
  } else if (key == "MEMORY") {
    to.memory_bytes = Number(name, value, 1);
  } else if (key == "DRIVER") {
    to.driver_version = static_cast<int>(Number(name, value, 1));
  } else if (key == "SEED") {
    to.seed = Number(name, value);
  } else if (key == "FAIL") {
    to.failures = List(name, value, /*has_code=*/true);
  } else if (key == "STALL") {
    to.stalls = List(name, value, /*has_code=*/false);
  } else if (key == "WRONG") {
    to.wrong = List(name, value, /*has_code=*/false);
  } else if (key == "DROP_WAIT") {
    to.dropped_wait = Number(name, value, 1);
  } else if (key == "HOST_ORDER") {
    to.host_order = Order(name, value);
  } else if (key == "REPORT") {
    to.report_path = std::string(value);
  } else if (key == "LOG") {
    to.log_path = std::string(value);
  } else {
    return absl::StartsWith(key, "BLAS") || absl::StartsWith(key, "DNN") ||
           absl::StartsWith(key, "NCCL");
  }
  return true;
}

}  // namespace

Configuration Configuration::FromEnvironment() {
  Configuration result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<absl::string_view, absl::string_view> variable =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    if (absl::StartsWith(variable.first, kPrefix) &&
        !Set(result, variable.first, variable.second)) {
      Refuse(variable.first, variable.second, "a name that the double knows");
    }
  }
  const char* gpus = std::getenv("ACCEL_DOUBLE_GPUS");
  const char* capability = std::getenv("ACCEL_DOUBLE_CAPABILITY");
  const uint64_t count =
      gpus == nullptr ? 1 : Number("ACCEL_DOUBLE_GPUS", gpus);
  if (count > 64) {
    Refuse("ACCEL_DOUBLE_GPUS", gpus, "at most 64");
  }
  std::vector<Capability> list = {{}};
  if (capability != nullptr) {
    list = Capabilities("ACCEL_DOUBLE_CAPABILITY", capability);
  }
  if (list.size() != 1 && list.size() != count) {
    Refuse("ACCEL_DOUBLE_CAPABILITY", capability,
           "one capability, or as many as there are devices");
  }
  list.resize(count, list[0]);
  result.gpus = list;
  return result;
}

}  // namespace accel::cuda_double
