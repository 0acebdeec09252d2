// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colours are those of clang.
#include "compiler/DiagnosticText.h"

#include "runtime/text/printable.h"

using namespace mlir;

namespace accel {
namespace {

constexpr llvm::StringLiteral kBold = "\x1b[1m";
constexpr llvm::StringLiteral kReset = "\x1b[0m";

llvm::StringRef getColor(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "\x1b[1;36m";
  case DiagnosticSeverity::Warning:
    return "\x1b[1;35m";
  case DiagnosticSeverity::Error:
    return "\x1b[1;31m";
  case DiagnosticSeverity::Remark:
    return "\x1b[1;34m";
  }
  llvm_unreachable("all severities are listed");
}

/// Prints `line` behind `column` characters, with breaks in the place of blanks
/// so that no line but one of a single word is longer than `width`.
void printWrapped(llvm::raw_ostream &stream, llvm::StringRef line,
                  size_t column, size_t width) {
  constexpr size_t indent = 4;
  bool isFirst = true;
  while (!line.empty()) {
    size_t end = std::min(line.find(' '), line.size());
    llvm::StringRef word = line.take_front(end);
    if (!isFirst && column + 1 + word.size() > width) {
      stream << "\n";
      stream.indent(indent);
      column = indent;
    } else if (!isFirst) {
      stream << " ";
      ++column;
    }
    stream << word;
    column += word.size();
    line = line.drop_front(std::min(end + 1, line.size()));
    isFirst = false;
  }
}

} // namespace

llvm::StringRef getLabel(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are listed");
}

void printAsText(llvm::raw_ostream &stream, const DiagnosticsStyle &style,
                 DiagnosticSeverity severity, llvm::StringRef text,
                 llvm::StringRef code, llvm::StringRef place) {
  bool stands = severity == DiagnosticSeverity::Error ||
                severity == DiagnosticSeverity::Warning;
  std::string label = (getLabel(severity) + ": ").str();
  std::string sentence = runtime::PrintableLines(text.str());
  if (!code.empty()) {
    sentence += (" [" + code + "]").str();
  }
  if (style.color) {
    stream << getColor(severity) << label << kReset << (stands ? kBold : "");
  } else {
    stream << label;
  }
  size_t column = label.size();
  llvm::StringRef rest = sentence;
  // A text may have lines of its own, a list for instance.
  while (true) {
    auto [line, more] = rest.split('\n');
    if (style.width > 0) {
      printWrapped(stream, line, column, style.width);
    } else {
      stream << line;
    }
    if (line.size() == rest.size()) {
      break;
    }
    stream << "\n";
    column = 0;
    rest = more;
  }
  stream << (style.color && stands ? kReset : "") << "\n";
  if (!place.empty()) {
    stream << "  at " << runtime::Printable(place.str()) << "\n";
  }
}

} // namespace accel
