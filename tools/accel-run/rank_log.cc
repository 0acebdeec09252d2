// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of what is said.
#include "tools/accel-run/rank_log.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/io/posix_file.h"
#include "tools/accel-run/run_files.h"

namespace accel::tools {
namespace {

using runtime::LineWriter;

// With a log the console writes plain lines, which read well in both places.
runtime::TerminalTraits TraitsOf(const RunOptions& options, int rank,
                                 int descriptor) {
  if (rank == 0 && options.log_dir.empty()) {
    return runtime::TerminalTraits::OfDescriptor(descriptor, options.color);
  }
  return {};
}

// Of a descriptor that is open; null: it is closed.
absl::StatusOr<std::unique_ptr<LineWriter>> WriterOf(int descriptor,
                                                     std::string what) {
  auto stream =
      runtime::OpenPosixStream(absl::StrCat("/proc/self/fd/", descriptor));
  if (!stream.ok()) {
    return nullptr;
  }
  runtime::LineWriterOptions options;
  options.what = std::move(what);
  ASSIGN_OR_RETURN(auto writer, LineWriter::Start(std::move(options)));
  writer->Open(*std::move(stream));
  return writer;
}

absl::StatusOr<std::unique_ptr<LineWriter>> LogOf(runtime::Vfs& vfs,
                                                  const std::string& folder,
                                                  int rank, uint32_t restarts) {
  const std::string path = RankLogPath(folder, static_cast<uint32_t>(rank));
  runtime::LineWriterOptions options;
  options.what = absl::StrCat("'", path, "'");
  ASSIGN_OR_RETURN(auto writer, LineWriter::Start(std::move(options)));
  RETURN_IF_ERROR(runtime::MakeDirectories(vfs, folder));
  ASSIGN_OR_RETURN(auto file,
                   vfs.Open(path, restarts == 0 ? runtime::OpenMode::kTruncate
                                                : runtime::OpenMode::kAppend));
  writer->Open(std::move(file));
  if (restarts != 0) {
    writer->Append(absl::StrCat("restart ", restarts, " of this log\n"));
  }
  return writer;
}

void AppendTo(const std::unique_ptr<LineWriter>& writer, std::string lines) {
  if (writer != nullptr) {
    writer->Append(std::move(lines));
  }
}

void Settle(const std::unique_ptr<LineWriter>& writer) {
  if (writer != nullptr) {
    writer->Settle();
  }
}

absl::Status CloseWriter(const std::unique_ptr<LineWriter>& writer,
                         std::chrono::nanoseconds patience) {
  return writer == nullptr ? absl::OkStatus() : writer->Close(patience);
}

}  // namespace

std::string RankLogPath(const std::string& folder, uint32_t rank) {
  return runtime::JoinPath(folder, absl::StrCat("rank-", rank, ".log"));
}

absl::StatusOr<std::unique_ptr<RankLog>> RankLog::Open(
    runtime::Vfs& vfs, const RunOptions& options, int rank, int ranks,
    uint32_t restarts) {
  // Where standard output takes a file, it takes nothing else.
  const int descriptor =
      WritesToStandardOutput(vfs, options) ? STDERR_FILENO : STDOUT_FILENO;
  Writers writers;
  if (rank == 0) {
    ASSIGN_OR_RETURN(writers.output, WriterOf(descriptor, "standard output"));
    ASSIGN_OR_RETURN(writers.errors, WriterOf(STDERR_FILENO, "standard error"));
  }
  if (!options.log_dir.empty() && !options.check) {
    auto file = LogOf(vfs, options.log_dir, rank, restarts);
    RETURN_IF_ERROR(runtime::Annotate(file.status(), "--log-dir"));
    writers.file = *std::move(file);
  }
  return std::unique_ptr<RankLog>(
      new RankLog(options, rank, ranks, descriptor, std::move(writers)));
}

RankLog::RankLog(const RunOptions& options, int rank, int ranks, int descriptor,
                 Writers writers)
    : rank_(rank),
      writers_(std::move(writers)),
      console_(TraitsOf(options, rank, descriptor),
               [this](absl::string_view bytes) { Print(bytes); }),
      // What rank 0 says is the run's.
      logger_(runtime::LogLevel::kInfo, rank, rank == 0 ? 1 : ranks,
              [this, warn = runtime::StderrSink([this](std::string lines) {
                       Warn(std::move(lines));
                     })](absl::string_view line) {
                if (rank_ == 0) {
                  warn(line);
                }
                AppendTo(writers_.file, absl::StrCat(line, "\n"));
              }),
      file_logger_(runtime::LogLevel::kInfo, 0, 1,
                   [this](absl::string_view line) {
                     AppendTo(writers_.file, absl::StrCat(line, "\n"));
                   }),
      failures_(runtime::LogLevel::kInfo, rank, ranks, runtime::StderrSink()) {}

// A terminal shows both in the order in which they were said.
void RankLog::Print(absl::string_view bytes) {
  Settle(writers_.errors);
  AppendTo(writers_.output, std::string(bytes));
  AppendTo(writers_.file, std::string(bytes));
}

void RankLog::Warn(std::string lines) {
  Settle(writers_.output);
  AppendTo(writers_.errors, std::move(lines));
}

absl::Status RankLog::Close(std::chrono::nanoseconds patience) {
  console_.FinishLive();
  absl::Status status;
  for (const auto* writer : {&writers_.output, &writers_.file}) {
    const absl::Status closed = CloseWriter(*writer, patience);
    if (!closed.ok() && writers_.errors != nullptr) {
      const runtime::Logger logger(
          runtime::LogLevel::kError, 0, 1,
          runtime::StderrSink([this](std::string lines) {
            AppendTo(writers_.errors, std::move(lines));
          }));
      logger.Log(
          runtime::LogLevel::kError,
          absl::StrCat(closed.message(), "; nothing else of the run is lost. ",
                       writer == &writers_.output
                           ? "Read it to its end, or let nothing be "
                             "printed (--quiet)"
                           : "Make room for it, mend its disk, or "
                             "choose another --log-dir"));
    }
    status.Update(closed);
  }
  status.Update(CloseWriter(writers_.errors, patience));
  return status;
}

}  // namespace accel::tools
