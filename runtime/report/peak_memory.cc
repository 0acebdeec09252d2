// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the kernel's account of this process's memory.
#include "runtime/report/peak_memory.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kStatusPath = "/proc/self/status";
// Writing 5 resets the high-water mark (proc(5)).
constexpr absl::string_view kResetPath = "/proc/self/clear_refs";

// The value of a line "<key>:   1234 kB". The kernel's kB are 1024 bytes.
absl::StatusOr<uint64_t> BytesOf(absl::string_view text,
                                 absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, key) || !absl::ConsumePrefix(&line, ":")) {
      continue;
    }
    uint64_t kilobytes = 0;
    if (absl::ConsumeSuffix(&line, " kB") &&
        absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kilobytes) &&
        kilobytes <= UINT64_MAX / 1024) {
      return kilobytes * 1024;
    }
  }
  return absl::NotFoundError(
      absl::StrCat("expected a line '", key, ": N kB', got none"));
}

}  // namespace

absl::StatusOr<ResidentMemory> ParseProcStatus(absl::string_view text) {
  ResidentMemory memory;
  ASSIGN_OR_RETURN(memory.now_bytes, BytesOf(text, "VmRSS"));
  ASSIGN_OR_RETURN(memory.peak_bytes, BytesOf(text, "VmHWM"));
  return memory;
}

absl::Status ResetPeakMemory(Vfs& vfs) {
  ASSIGN_OR_RETURN(const auto file,
                   vfs.Open(std::string(kResetPath), OpenMode::kTruncate));
  constexpr std::byte kResetPeak{'5'};
  RETURN_IF_ERROR(file->AppendAll(absl::MakeConstSpan(&kResetPeak, 1)));
  return file->Close();
}

absl::StatusOr<ResidentMemory> ReadResidentMemory(Vfs& vfs) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadWholeFile(vfs, std::string(kStatusPath), 1 << 20));
  auto memory = ParseProcStatus(text);
  if (!memory.ok()) {
    return Annotate(memory.status(), kStatusPath);
  }
  return memory;
}

}  // namespace accel::runtime
