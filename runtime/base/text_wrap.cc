// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns and breaks.
#include "runtime/base/text_wrap.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace accel::runtime {
namespace {

// What stands behind a label may begin this far to the right.
constexpr size_t kDeepestLabel = 28;

// Where the first sequence of an escape character, "[", parameters and a letter
// ends that begins at `begin`.
size_t EndOfEscape(absl::string_view text, size_t begin) {
  size_t end = begin + 1;
  if (end < text.size() && text[end] == '[') {
    ++end;
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) {
      ++end;
    }
  }
  return std::min(end + 1, text.size());
}

// The column behind a label: the first one behind two blanks that follow a
// word; two more than the line's own indentation if there is no label.
size_t HangingIndent(absl::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  if (first == absl::string_view::npos) {
    return 0;
  }
  const size_t gap = line.find("  ", first);
  if (gap != absl::string_view::npos) {
    const size_t behind = line.find_first_not_of(' ', gap);
    if (behind != absl::string_view::npos && behind <= kDeepestLabel) {
      return behind;
    }
  }
  return first + 2;
}

std::string WrapLine(absl::string_view line, int width) {
  if (DisplayWidth(line) <= width) {
    return std::string(line);
  }
  const size_t indent =
      std::min(HangingIndent(line), static_cast<size_t>(width) / 2);
  std::string wrapped;
  std::string current;
  bool has_word = false;
  size_t at = 0;
  while (at < line.size()) {
    const size_t word = std::min(line.find_first_not_of(' ', at), line.size());
    const size_t end = std::min(line.find(' ', word), line.size());
    const absl::string_view blanks = line.substr(at, word - at);
    const absl::string_view text = line.substr(word, end - word);
    if (has_word && DisplayWidth(current) + static_cast<int>(blanks.size()) +
                            DisplayWidth(text) >
                        width) {
      absl::StrAppend(&wrapped, current, "\n");
      current = absl::StrCat(std::string(indent, ' '), text);
    } else {
      absl::StrAppend(&current, blanks, text);
    }
    has_word = true;
    at = end;
  }
  return absl::StrCat(wrapped, current);
}

}  // namespace

int DisplayWidth(absl::string_view text) {
  int columns = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {
      i = EndOfEscape(text, i);
      continue;
    }
    // Bytes 10xxxxxx continue a character.
    columns += (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80 ? 0 : 1;
    ++i;
  }
  return columns;
}

std::string WrapWords(absl::string_view text, int width) {
  if (width <= 0) {
    return std::string(text);
  }
  std::string wrapped;
  absl::string_view separator;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&wrapped, separator, WrapLine(line, width));
    separator = "\n";
  }
  return wrapped;
}

}  // namespace accel::runtime
