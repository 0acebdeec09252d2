// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of text that fit into a width.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_TEXT_TABLE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace accel::tools {

struct TextColumn {
  std::string header = {};
  bool numbers = false;  // aligned to the right
  // Texts may be cut in their middle down to this width; 0: not at all.
  size_t least = 0;
  size_t gap = 1;  // blanks before it
};

// `text`, or its ends with "~" between them, in `width` bytes.
std::string CutInMiddle(absl::string_view text, size_t width);

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns)
      : columns_(std::move(columns)) {}

  // One cell per column.
  void AddRow(std::vector<std::string> cells);
  // A line across all columns, between the rows.
  void AddHeading(absl::string_view text);

  // Columns that may be cut give way, the first one first, until a line has
  // `width` bytes or none can any more. No line ends with a blank.
  std::string Text(size_t width) const;

 private:
  std::vector<size_t> Widths(size_t width) const;
  bool HasRoomForHeader(size_t column) const;
  std::string HeaderLine(const std::vector<size_t>& widths) const;
  std::string RowLine(const std::vector<std::string>& cells,
                      const std::vector<size_t>& widths) const;

  std::vector<TextColumn> columns_;
  // A row of one cell, while there are more columns, is a heading.
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_TEXT_TABLE_H_
