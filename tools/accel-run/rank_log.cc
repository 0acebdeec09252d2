// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of what is said.
#include "tools/accel-run/rank_log.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "tools/accel-run/run_files.h"

namespace accel::tools {
namespace {

// With a log the console writes plain lines, which read well in both places.
runtime::TerminalTraits TraitsOf(const RunOptions& options, int rank,
                                 int descriptor) {
  if (rank == 0 && options.log_dir.empty()) {
    return runtime::TerminalTraits::OfDescriptor(descriptor, options.color);
  }
  return {};
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankLog>> RankLog::Open(
    runtime::Vfs& vfs, const RunOptions& options, int rank, int ranks) {
  std::unique_ptr<runtime::File> file;
  if (!options.log_dir.empty()) {
    RETURN_IF_ERROR(runtime::MakeDirectories(vfs, options.log_dir));
    ASSIGN_OR_RETURN(
        file, vfs.Open(absl::StrCat(options.log_dir, "/rank-", rank, ".log"),
                       runtime::OpenMode::kTruncate));
  }
  // Where standard output takes a file, it takes nothing else.
  const int descriptor =
      WritesToStandardOutput(vfs, options) ? STDERR_FILENO : STDOUT_FILENO;
  return std::unique_ptr<RankLog>(
      new RankLog(options, rank, ranks, descriptor, std::move(file)));
}

RankLog::RankLog(const RunOptions& options, int rank, int ranks, int descriptor,
                 std::unique_ptr<runtime::File> file)
    : rank_(rank),
      file_(std::move(file)),
      print_(runtime::Console::ToDescriptor(descriptor)),
      console_(TraitsOf(options, rank, descriptor),
               [this](absl::string_view bytes) { Print(bytes); }),
      // What rank 0 says is the run's.
      logger_(runtime::LogLevel::kInfo, rank, rank == 0 ? 1 : ranks,
              [this](absl::string_view line) {
                if (rank_ == 0) {
                  runtime::StderrSink()(line);
                }
                Keep(absl::StrCat(line, "\n"));
              }),
      failures_(runtime::LogLevel::kInfo, rank, ranks, runtime::StderrSink()) {}

void RankLog::Keep(absl::string_view bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) {
    return;
  }
  // A log that cannot be written does not end the training.
  file_
      ->AppendAll(absl::MakeConstSpan(
          reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()))
      .IgnoreError();
}

void RankLog::Print(absl::string_view bytes) {
  if (rank_ == 0) {
    print_(bytes);
  }
  Keep(bytes);
}

}  // namespace accel::tools
