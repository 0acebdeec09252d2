// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libFuzzer calls to change a plan: mostly the mutator that makes the
// hashes anew; sometimes its own, for what stands before the hashes.
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "google/protobuf/stubs/logging.h"
#include "test/fuzz/plan_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  const google::protobuf::LogSilencer quiet;
  if (seed % 16 != 0) {
    const std::optional<std::string> plan = accel::testing::MutatePlan(
        absl::string_view(reinterpret_cast<const char*>(data), size), seed);
    if (plan && plan->size() <= max_size) {
      std::memcpy(data, plan->data(), plan->size());
      return plan->size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
