// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files: the header, and if that is accepted the first and the last row.
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/data/array_file.h"
#include "test/fuzz/memory_vfs.h"

namespace {

using accel::runtime::ArrayFile;

// A row may be claimed to be large only if the file is.
void ReadRow(const ArrayFile& file, int64_t row) {
  std::vector<std::byte> bytes(file.row_bytes());
  file.ReadRow(row, 0, absl::MakeSpan(bytes)).IgnoreError();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accel::testing::MemoryVfs vfs(
      "x.npy", std::string(reinterpret_cast<const char*>(data), size));
  const auto file = ArrayFile::Open(vfs, "x.npy");
  if (file.ok() && (*file)->rows() > 0) {
    ReadRow(**file, 0);
    ReadRow(**file, (*file)->rows() - 1);
  }
  return 0;
}
