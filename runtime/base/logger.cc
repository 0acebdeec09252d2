// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages for people: prefixes, indentation, one write per line.
#include "runtime/base/logger.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text_wrap.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

// Of the terminal that standard error is; 0: it is none, or does not tell.
int StderrColumns() {
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

LineSink StderrSink() {
  return StderrSink([](const std::string& text) {
    // A message that cannot be written has nowhere to be complained about.
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, text.data(), text.size());
  });
}

LineSink StderrSink(std::function<void(std::string lines)> write) {
  return [write = std::move(write)](absl::string_view line) {
    write(absl::StrCat(WrapWords(line, StderrColumns()), "\n"));
  };
}

Logger::Logger(LogLevel level, int rank, int rank_count, LineSink sink)
    : level_(level),
      rank_prefix_(rank_count > 1 ? absl::StrCat("[rank ", rank, "] ") : ""),
      sink_(std::move(sink)) {}

Logger Logger::Silent() {
  return Logger(LogLevel::kSilent, 0, 1, [](absl::string_view) {});
}

void Logger::Log(LogLevel level, absl::string_view message) const {
  if (!Enabled(level) || level == LogLevel::kSilent) {
    return;
  }
  const absl::string_view label = level == LogLevel::kWarning ? "warning: "
                                  : level == LogLevel::kError ? "error: "
                                                              : "";
  sink_(absl::StrCat(
      rank_prefix_, label,
      absl::StrReplaceAll(PrintableLines(message), {{"\n", "\n  "}})));
}

}  // namespace accel::runtime
