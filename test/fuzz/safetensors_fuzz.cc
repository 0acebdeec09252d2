// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Safetensors files: the header, then all of every tensor, beyond its end too.
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/safetensors.h"
#include "test/fuzz/memory_vfs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using accel::runtime::SafetensorsReader;
  accel::testing::MemoryVfs vfs(
      "x.safetensors", std::string(reinterpret_cast<const char*>(data), size));
  const auto reader = SafetensorsReader::Open(vfs, "x.safetensors");
  if (!reader.ok()) {
    return 0;
  }
  for (const auto& entry : (*reader)->entries()) {
    std::vector<std::byte> bytes(entry.end - entry.begin);
    (*reader)->Read(entry, 0, absl::MakeSpan(bytes)).IgnoreError();
    (*reader)->Read(entry, bytes.size(), absl::MakeSpan(bytes)).IgnoreError();
    (*reader)->Find(entry.name);
  }
  return 0;
}
