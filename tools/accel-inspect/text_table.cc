// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widths first, then lines.
#include "tools/accel-inspect/text_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace accel::tools {
namespace {

std::string Padded(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

std::string CutInMiddle(absl::string_view text, size_t width) {
  if (text.size() <= width) {
    return std::string(text);
  }
  const size_t kept = width == 0 ? 0 : width - 1;
  return absl::StrCat(text.substr(0, kept - kept / 2), width == 0 ? "" : "~",
                      text.substr(text.size() - kept / 2));
}

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

void TextTable::AddHeading(absl::string_view text) {
  rows_.push_back({std::string(text)});
}

// Whether the header may reach into the next column.
bool TextTable::HasRoomForHeader(size_t column) const {
  return !columns_[column].numbers && column + 1 < columns_.size() &&
         columns_[column + 1].header.empty();
}

std::vector<size_t> TextTable::Widths(size_t width) const {
  std::vector<size_t> widths;
  size_t sum = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t widest = HasRoomForHeader(i) ? 0 : columns_[i].header.size();
    for (const auto& row : rows_) {
      widest = row.size() > 1 ? std::max(widest, row[i].size()) : widest;
    }
    widths.push_back(widest);
    sum += widest + (i == 0 ? 0 : columns_[i].gap);
  }
  for (size_t i = 0; i < columns_.size() && sum > width; ++i) {
    const size_t least = columns_[i].least;
    if (least != 0 && widths[i] > least) {
      const size_t cut = std::min(sum - width, widths[i] - least);
      widths[i] -= cut;
      sum -= cut;
    }
  }
  return widths;
}

std::string TextTable::HeaderLine(const std::vector<size_t>& widths) const {
  std::string line;
  size_t begin = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    begin += i == 0 ? 0 : columns_[i].gap;
    if (!columns_[i].header.empty()) {
      line.resize(std::max(line.size(), begin), ' ');
      line += columns_[i].numbers ? Padded(columns_[i].header, widths[i], true)
                                  : columns_[i].header;
    }
    begin += widths[i];
  }
  return line;
}

std::string TextTable::RowLine(const std::vector<std::string>& cells,
                               const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < columns_.size(); ++i) {
    absl::StrAppend(&line, std::string(i == 0 ? 0 : columns_[i].gap, ' '),
                    Padded(CutInMiddle(cells[i], widths[i]), widths[i],
                           columns_[i].numbers));
  }
  return std::string(absl::StripTrailingAsciiWhitespace(line));
}

std::string TextTable::Text(size_t width) const {
  const std::vector<size_t> widths = Widths(width);
  std::string text = absl::StrCat(HeaderLine(widths), "\n");
  for (const auto& row : rows_) {
    absl::StrAppend(&text, row.size() == 1 ? row[0] : RowLine(row, widths),
                    "\n");
  }
  return text;
}

}  // namespace accel::tools
