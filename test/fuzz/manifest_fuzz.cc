// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of a checkpoint, as it is and with a hash made anew, so that
// what lies behind the hash is reached. What is accepted is written and read
// again as the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/sha256.h"
#include "runtime/checkpoint/manifest.h"

namespace {

using accel::runtime::ParseManifest;
using accel::runtime::SerializeManifest;

void Check(absl::string_view text) {
  const auto manifest = ParseManifest(text);
  if (!manifest.ok()) {
    return;
  }
  const std::string written = SerializeManifest(*manifest);
  const auto again = ParseManifest(written);
  if (!again.ok() || SerializeManifest(*again) != written) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  Check(text);
  const std::string hash = accel::runtime::ToHex(accel::runtime::Sha256::Of(
      {reinterpret_cast<const std::byte*>(data), size}));
  Check(absl::StrCat(text, ",\n \"sha256\": \"", hash, "\"\n}\n"));
  return 0;
}
