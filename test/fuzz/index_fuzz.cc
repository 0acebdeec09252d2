// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexes of safetensors files: parsed, and no name leaves the folder.
#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "runtime/io/safetensors_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto index = accel::runtime::ParseSafetensorsIndex(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!index.ok()) {
    return 0;
  }
  for (const auto& [tensor, file] : *index) {
    if (file.empty() || file == ".." || absl::StrContains(file, '/')) {
      std::abort();
    }
  }
  return 0;
}
