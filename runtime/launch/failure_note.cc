// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields with their sizes in front of them, and a last byte that says that all
// is there.
#include "runtime/launch/failure_note.h"

#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

constexpr char kWhole = '!';

void AppendField(std::string& text, absl::string_view field) {
  absl::StrAppend(&text, field.size(), ":", field);
}

// Takes the next field off `text`; false if that is not one.
bool TakeField(absl::string_view& text, std::string& field) {
  const size_t colon = text.find(':');
  uint64_t size = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(text.substr(0, colon), &size) ||
      size > text.size() - colon - 1) {
    return false;
  }
  field = std::string(text.substr(colon + 1, size));
  text.remove_prefix(colon + 1 + size);
  return true;
}

std::optional<FailureNote> Parse(absl::string_view text) {
  FailureNote note;
  std::string since;
  std::string begun;
  if (!TakeField(text, note.what) || !TakeField(text, note.where) ||
      !TakeField(text, note.run_directory) || !TakeField(text, since) ||
      !TakeField(text, begun) || !absl::SimpleAtoi(since, &note.since_ns) ||
      text.empty() || text.front() != kWhole) {
    return std::nullopt;
  }
  note.has_begun = begun == "1";
  return note;
}

}  // namespace

absl::StatusOr<FileDescriptor> CreateNoteMemory() {
  return CreateSharedMemory("accel-failure", 0);
}

absl::Status WriteNote(int descriptor, const FailureNote& note) {
  const FileDescriptor memory(descriptor);
  std::string text;
  AppendField(text, note.what);
  AppendField(text, note.where);
  AppendField(text, note.run_directory);
  AppendField(text, absl::StrCat(note.since_ns));
  AppendField(text, note.has_begun ? "1" : "0");
  text += kWhole;
  RETURN_IF_ERROR(GrowSharedMemory(memory, text.size()));
  ASSIGN_OR_RETURN(const SharedMapping mapping,
                   SharedMapping::Map(memory, 0, text.size()));
  std::memcpy(mapping.bytes().data(), text.data(), text.size());
  return absl::OkStatus();
}

std::optional<FailureNote> ReadNote(const FileDescriptor& memory) {
  const auto size = SharedMemorySize(memory);
  if (!size.ok() || *size == 0) {
    return std::nullopt;
  }
  const auto mapping = SharedMapping::Map(memory, 0, *size);
  if (!mapping.ok()) {
    return std::nullopt;
  }
  return Parse(absl::string_view(
      reinterpret_cast<const char*>(mapping->bytes().data()), *size));
}

}  // namespace accel::runtime
