// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who of several ranks says what where: rank 0 on the terminal, every rank in
// its log if one is kept.
#ifndef ACCEL_TOOLS_ACCEL_RUN_RANK_LOG_H_
#define ACCEL_TOOLS_ACCEL_RUN_RANK_LOG_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/base/logger.h"
#include "runtime/io/vfs.h"
#include "runtime/report/console.h"
#include "runtime/report/line_writer.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

// The log of a rank in the folder of --log-dir.
std::string RankLogPath(const std::string& folder, uint32_t rank);

// The console and the loggers of one rank.
//
// Threads: those of Console and Logger.
class RankLog {
 public:
  // `rank` of `ranks` processes. Creates the folder and file of --log-dir;
  // after so many restarts it goes on with the file, and says so there.
  // ResourceExhausted if there can be no threads that write.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<RankLog>> Open(
      runtime::Vfs& vfs, const RunOptions& options, int rank, int ranks,
      uint32_t restarts = 0);

  runtime::Console& console() { return console_; }
  const runtime::Logger& logger() const { return logger_; }
  // Of --log-dir alone, for what is said elsewhere later.
  const runtime::Logger& file_logger() const { return file_logger_; }
  // Standard error, for failures of other ranks than 0; null for rank 0, whose
  // logger goes there.
  const runtime::Logger* failures() const {
    return rank_ == 0 ? nullptr : &failures_;
  }

  // Writes what was said, as long as in `patience` something gets written.
  // An error says, on standard error, too, what is lost; nothing may be said
  // afterwards.
  absl::Status Close(std::chrono::nanoseconds patience);

 private:
  // Null: nobody reads it.
  struct Writers {
    std::unique_ptr<runtime::LineWriter> output;
    std::unique_ptr<runtime::LineWriter> errors;
    std::unique_ptr<runtime::LineWriter> file;  // of --log-dir
  };

  // What people read goes to `descriptor`.
  RankLog(const RunOptions& options, int rank, int ranks, int descriptor,
          Writers writers);

  void Print(absl::string_view bytes);
  void Warn(std::string lines);

  const int rank_;
  Writers writers_;
  runtime::Console console_;
  runtime::Logger logger_;
  runtime::Logger file_logger_;
  runtime::Logger failures_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_RANK_LOG_H_
