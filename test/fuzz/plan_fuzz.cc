// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans, up to where their code would run.
#include <cstdint>

#include "google/protobuf/stubs/logging.h"
#include "test/fuzz/plan_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;  // about bytes that are no UTF-8
  accel::testing::ReadPlan(
      absl::string_view(reinterpret_cast<const char*>(data), size))
      .IgnoreError();
  return 0;
}
