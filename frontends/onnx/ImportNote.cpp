// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a note on one line.
#include "frontends/onnx/ImportNote.h"

#include <algorithm>

namespace accel::onnx {

void addRemark(ImportNotes &notes, std::string text,
               std::vector<std::string> names) {
  notes.push_back(
      {ImportNote::Severity::Remark, std::move(text), std::move(names)});
}

void addWarning(ImportNotes &notes, ErrorCode code, std::string text,
                std::vector<std::string> names) {
  notes.push_back(
      {ImportNote::Severity::Warning, std::move(text), std::move(names), code});
}

std::string tellCount(size_t number, const char *one, const char *several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

void addCountedRemark(ImportNotes &notes, const char *one, const char *several,
                      std::vector<std::string> names) {
  if (!names.empty()) {
    std::string text = tellCount(names.size(), one, several);
    addRemark(notes, std::move(text), std::move(names));
  }
}

std::string toString(const ImportNote &note) {
  constexpr size_t shown = 3;
  std::string text = note.text;
  // One name too many is shown rather than counted.
  size_t count = note.names.size() <= shown + 1 ? note.names.size() : shown;
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? ": " : ", ") + note.names[i];
  }
  if (note.names.size() > count) {
    text += " and " + std::to_string(note.names.size() - count) + " more";
  }
  return text;
}

} // namespace accel::onnx
