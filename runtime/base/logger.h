// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages for people, with a level and the rank that speaks. A Logger is a
// value that is handed down; the runtime has no global one.
#ifndef ACCEL_RUNTIME_BASE_LOGGER_H_
#define ACCEL_RUNTIME_BASE_LOGGER_H_

#include <functional>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kSilent };

// Receives one line, without its newline. Must be callable from any thread.
using LineSink = std::function<void(absl::string_view line)>;

// A sink that writes to standard error, one write(2) per line, so that lines of
// several ranks do not mix. On a terminal long lines break between words.
LineSink StderrSink();
// The same lines, handed to `write` with their newlines.
LineSink StderrSink(std::function<void(std::string lines)> write);

// Threads: const member functions may be called from any thread.
class Logger {
 public:
  // With one rank nothing is prefixed; with more every line begins "[rank 3] ".
  // Requires: 0 <= rank < rank_count.
  Logger(LogLevel level, int rank, int rank_count, LineSink sink);

  // A logger that drops everything.
  static Logger Silent();

  LogLevel level() const { return level_; }
  bool Enabled(LogLevel level) const { return level >= level_; }

  // "warning: " and "error: " stand before messages of these levels. A message
  // of several lines is indented after the first.
  void Log(LogLevel level, absl::string_view message) const;

  template <typename... Args>
  void Debug(const absl::FormatSpec<Args...>& format,
             const Args&... args) const {
    LogFormatted(LogLevel::kDebug, format, args...);
  }
  template <typename... Args>
  void Info(const absl::FormatSpec<Args...>& format,
            const Args&... args) const {
    LogFormatted(LogLevel::kInfo, format, args...);
  }
  template <typename... Args>
  void Warning(const absl::FormatSpec<Args...>& format,
               const Args&... args) const {
    LogFormatted(LogLevel::kWarning, format, args...);
  }
  template <typename... Args>
  void Error(const absl::FormatSpec<Args...>& format,
             const Args&... args) const {
    LogFormatted(LogLevel::kError, format, args...);
  }

 private:
  template <typename... Args>
  void LogFormatted(LogLevel level, const absl::FormatSpec<Args...>& format,
                    const Args&... args) const {
    if (Enabled(level)) {
      Log(level, absl::StrFormat(format, args...));
    }
  }

  LogLevel level_;
  std::string rank_prefix_;
  LineSink sink_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_LOGGER_H_
