// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop around LaunchRanks.
#include "tools/accel-run/launched_run.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/descriptor_wait.h"
#include "runtime/base/format.h"
#include "runtime/base/wall_clock.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/report/line_writer.h"
#include "tools/accel-run/exit_code.h"
#include "tools/accel-run/rank_log.h"
#include "tools/accel-run/stop_signals.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

using runtime::LaunchEnd;
using runtime::LogLevel;

constexpr std::chrono::milliseconds kFirstPause(500);
constexpr std::chrono::seconds kLongestPause(30);

// Twice as long each time.
std::chrono::nanoseconds PauseBefore(int64_t restart) {
  const int64_t doublings = std::min<int64_t>(restart - 1, 16);
  return std::min<std::chrono::nanoseconds>(
      kFirstPause * (int64_t{1} << doublings), kLongestPause);
}

// Another start may end in another way.
bool MayPass(const runtime::ProcessEnd& end) {
  return end.signal != 0 ||
         end.exit_code == static_cast<int>(ExitCode::kCommunication) ||
         end.exit_code == static_cast<int>(ExitCode::kInternal);
}

absl::Status Missing(const RunOptions& options, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("--max-restarts ", options.max_restarts, ": ", text));
}

}  // namespace

absl::Status CheckRestarts(const RunOptions& options) {
  if (options.max_restarts == 0) {
    return absl::OkStatus();
  }
  if (!options.checkpoint_every.IsSet()) {
    return Missing(options,
                   "expected --checkpoint-every, as each restart would begin "
                   "with step 0, got none; give it, as --checkpoint-every 10m");
  }
  if (options.run_dir.empty()) {
    return Missing(options,
                   "expected --run-dir, whose checkpoints restarts go on from, "
                   "got none; name it");
  }
  if (options.profile || !options.trace.empty() ||
      !options.dump_gradients.empty()) {
    return Missing(options,
                   "expected no --profile, --trace or --dump-gradients, as a "
                   "restart would replace what they write of the first steps; "
                   "leave one out");
  }
  return absl::OkStatus();
}

LaunchedRun::LaunchedRun(runtime::Vfs& vfs, const RunOptions& options,
                         char** argv)
    : vfs_(vfs),
      options_(options),
      logger_(LogLevel::kInfo, 0, 1, runtime::StderrSink()) {
  launcher_.ranks = options.ranks.value_or(1);
  launcher_.argv = argv;
  launcher_.take_signal = TakeSignal;
  launcher_.secondary_status = static_cast<int>(ExitCode::kCommunication);
  if (options.max_restarts > 0) {
    launcher_.spares_nobody = MayPass;
    first_newest_ = newest_ = NewestStep();
  }
}

int LaunchedRun::Run() {
  TakeStopSignals(SecondSignal::kIsTaken);
  for (;;) {
    const absl::StatusOr<LaunchEnd> end = runtime::LaunchRanks(launcher_);
    if (!end.ok()) {
      logger_.Log(LogLevel::kError, end.status().message());
      return static_cast<int>(ExitCodeOf(end.status(), ExitCode::kInputOutput));
    }
    if (!MayRestart(*end)) {
      return Conclude(*end);
    }
    if (const int signal = AwaitRestart(*end); signal != 0) {
      logger_.Log(LogLevel::kInfo,
                  absl::StrCat("stopped by ", runtime::SignalName(signal),
                               " before restart ", used_));
      return 128 + signal;
    }
    ++launcher_.restarts;
    launcher_.resume = GoesOnElsewhere() ? "" : "auto";
  }
}

int64_t LaunchedRun::NewestStep() const {
  const auto steps = runtime::CheckpointStore(vfs_, options_.run_dir).List();
  // What cannot be listed is nothing new.
  return !steps.ok() ? newest_ : steps->empty() ? -1 : steps->front();
}

bool LaunchedRun::GoesOnElsewhere() const {
  return !options_.resume.empty() && options_.resume != "auto" &&
         newest_ == first_newest_;
}

std::string LaunchedRun::OriginText() const {
  return GoesOnElsewhere() ? absl::StrCat("from '", options_.resume, "'")
         : newest_ >= 0 ? absl::StrCat("from the checkpoint of step ", newest_)
                        : "from the beginning, as there is no checkpoint yet";
}

bool LaunchedRun::MayRestart(const LaunchEnd& end) {
  if (options_.max_restarts == 0 || end.status == 0 || end.is_stopped ||
      end.stop_signal != 0 || !MayPass(end.end)) {
    return false;
  }
  const int64_t newest = NewestStep();
  used_ = newest > newest_ ? 0 : used_;
  newest_ = newest;
  if (used_ == options_.max_restarts) {
    return false;
  }
  ++used_;
  return true;
}

int LaunchedRun::AwaitRestart(const LaunchEnd& end) {
  // Not what the line below says again.
  if (!end.output.empty() &&
      !(end.note && absl::EndsWith(end.output, end.note->what + "\n"))) {
    runtime::StderrSink()(absl::StripSuffix(end.output, "\n"));
  }
  const auto pause = PauseBefore(used_);
  logger_.Log(
      LogLevel::kWarning,
      absl::StrCat(end.note ? end.note->what : EndText(end), "; restart ",
                   used_, " of ", options_.max_restarts, " in ",
                   runtime::FormatDuration(pause), ", ", OriginText()));
  int signal = 0;
  runtime::WaitUntil(
      runtime::Deadline::After(pause), [] { return std::string("a restart"); },
      absl::Span<const int>(),
      [&] {
        signal = TakeSignal();
        if (signal == SIGTSTP) {
          raise(SIGSTOP);
          signal = 0;
        }
        return signal != 0;
      })
      .IgnoreError();
  return signal;
}

std::string LaunchedRun::EndText(const LaunchEnd& end) const {
  return absl::StrCat(launcher_.ranks == 1 ? std::string("the process")
                                           : absl::StrCat("rank ", end.rank),
                      ": ", end.end.Text(), ", pid ", end.pid);
}

int LaunchedRun::Conclude(const LaunchEnd& end) const {
  if (end.kill_signal != 0) {
    logger_.Log(
        LogLevel::kInfo,
        absl::StrCat("ended at once by ", runtime::SignalName(end.kill_signal),
                     ", the second signal; nothing was saved"));
  }
  if (end.status == 0 || end.is_stopped) {
    return end.status;
  }
  // Before they take signals ranks die of them.
  if (end.stop_signal != 0 && end.end.signal == end.stop_signal) {
    logger_.Log(LogLevel::kInfo,
                absl::StrCat("stopped by ", runtime::SignalName(end.end.signal),
                             " while the ranks were starting"));
    return end.status;
  }
  const bool has_begun = end.note && end.note->has_begun;
  if (!end.output.empty()) {
    runtime::StderrSink()(absl::StripSuffix(end.output, "\n"));
  } else if (!end.is_said) {
    logger_.Log(LogLevel::kError, EndText(end));
  } else if (has_begun) {
    logger_.Log(LogLevel::kError, end.note->what);
  }
  if (has_begun || end.end.signal != 0 || launcher_.restarts > 0) {
    Report(end);
  }
  return end.status;
}

std::string LaunchedRun::RestartsText() const {
  return options_.max_restarts == 0
             ? ""
             : absl::StrCat(used_, " of ", options_.max_restarts,
                            " without a new checkpoint, ", launcher_.restarts,
                            " in all");
}

void LaunchedRun::Report(const LaunchEnd& end) const {
  Failure failure;
  failure.rank = end.rank;
  failure.ranks = launcher_.ranks;
  failure.pid = end.pid;
  failure.status = end.status;
  failure.restarts = RestartsText();
  failure.since_ns = end.note ? end.note->since_ns : runtime::WallTimeNs();
  failure.where = end.note ? end.note->where : "";
  failure.run_directory = end.note ? end.note->run_directory : options_.run_dir;
  const std::string text = absl::StrCat(
      "  ", FailureReport(vfs_, options_, launcher_.argv, failure));
  logger_.Log(LogLevel::kInfo, text);
  if (!options_.log_dir.empty()) {
    AppendToLog(text);
  }
}

void LaunchedRun::AppendToLog(const std::string& lines) const {
  runtime::LineWriterOptions options;
  options.what = absl::StrCat("'", RankLogPath(options_.log_dir, 0), "'");
  auto writer = runtime::LineWriter::Start(options);
  auto file =
      vfs_.Open(RankLogPath(options_.log_dir, 0), runtime::OpenMode::kAppend);
  absl::Status status = writer.ok() ? file.status() : writer.status();
  if (status.ok()) {
    (*writer)->Open(*std::move(file));
    const runtime::Logger log(LogLevel::kInfo, 0, 1,
                              [&](absl::string_view line) {
                                (*writer)->Append(absl::StrCat(line, "\n"));
                              });
    log.Log(LogLevel::kInfo, lines);
    status = (*writer)->Close(LinePatience(options_));
  }
  if (!status.ok()) {
    logger_.Log(LogLevel::kWarning,
                absl::StrCat("--log-dir: ", status.message(),
                             "; the lines above are not in it"));
  }
}

}  // namespace accel::tools
