// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams bytes into tokens.
#include "tools/accel-data/pack_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"

namespace accel::tools {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

absl::StatusOr<uint64_t> PackOne(runtime::Vfs& vfs, const std::string& input,
                                 runtime::File& output) {
  ASSIGN_OR_RETURN(const auto file, vfs.Open(input, runtime::OpenMode::kRead));
  std::vector<std::byte> bytes(kPiece);
  std::vector<std::byte> tokens;
  uint64_t total = 0;
  while (true) {
    ASSIGN_OR_RETURN(const size_t count, file->Read(absl::MakeSpan(bytes)));
    if (count == 0) {
      return total;
    }
    tokens.assign(2 * count, std::byte{0});
    for (size_t i = 0; i < count; ++i) {
      tokens[2 * i] = bytes[i];
    }
    RETURN_IF_ERROR(output.AppendAll(tokens));
    total += count;
  }
}

}  // namespace

absl::StatusOr<uint64_t> PackText(runtime::Vfs& vfs,
                                  const std::vector<std::string>& inputs,
                                  const std::string& output) {
  ASSIGN_OR_RETURN(const auto file, runtime::AtomicFile::Create(vfs, output));
  uint64_t total = 0;
  for (const std::string& input : inputs) {
    ASSIGN_OR_RETURN(const uint64_t count, PackOne(vfs, input, file->file()));
    total += count;
  }
  if (total == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", absl::StrJoin(inputs, "', '"), "': expected text, got no byte"));
  }
  RETURN_IF_ERROR(file->Commit());
  return total;
}

}  // namespace accel::tools
