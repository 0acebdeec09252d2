// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command line, environment, terminal and signals around a TrainingRun, or
// around the processes of several.
#include "tools/accel-run/accel_run.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/launch/launcher.h"
#include "tools/accel-run/rank_log.h"
#include "tools/accel-run/run_files.h"
#include "tools/accel-run/training_run.h"
#include "tools/command-line/out_of_memory.h"

namespace accel::tools {
namespace {

volatile sig_atomic_t stop_signal = 0;

void RequestStop(int signal) { stop_signal = signal; }

void TakeSignal(int signal, int flags) {
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  action.sa_flags = SA_RESTART | flags;
  sigaction(signal, &action, nullptr);
}

// With `once`, a second signal finds the default action. Reads go on.
void InstallStopHandlers(bool once) {
  const int flags = once ? SA_RESETHAND : 0;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    TakeSignal(signal, flags);
  }
  // Who has started this with nohup wants it to go on.
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) {
    TakeSignal(SIGHUP, flags);
  }
}

// A pipe without a reader, and a file at its size limit, are errors of the
// write, which says so.
void IgnoreWriteSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

using MaybeRank = std::optional<runtime::RankEnvironment>;

absl::Status CheckRanks(const RunOptions& options, const MaybeRank& rank) {
  const bool launched = rank && rank->launcher != 0;
  if (options.ranks && rank && !launched) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--ranks ", *options.ranks, ": the environment says that this is rank ",
        rank->rank, " of ", rank->ranks,
        " already; leave out --ranks, or unset RANK and WORLD_SIZE"));
  }
  const uint32_t processes = rank ? rank->ranks : options.ranks.value_or(1);
  if (options.tune && (processes > 1 || options.ranks_as_threads > 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tune: expected one rank, which measures its GPU, got ",
        std::max<uint32_t>(processes,
                           static_cast<uint32_t>(options.ranks_as_threads)),
        "; measure without ranks (accel-run ", options.plan,
        " --tune): every rank on a GPU of the same kind uses what it writes"));
  }
  if (processes > 1 && options.ranks_as_threads > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--ranks-as-threads ", options.ranks_as_threads,
                     ": expected ranks as threads or as processes, got both, ",
                     processes, " processes"));
  }
  return absl::OkStatus();
}

// What this process is: one rank of several, all of them (nothing), or their
// launcher, if options.ranks is more than 1.
absl::StatusOr<MaybeRank> FindRank(const RunOptions& options) {
  // -n says what is meant, wherever it is typed. RANK besides it is a mistake.
  ASSIGN_OR_RETURN(
      MaybeRank rank,
      runtime::ParseRankEnvironment(
          [](const char* name) -> const char* { return std::getenv(name); },
          options.ranks ? runtime::Launchers::kTorchrun
                        : runtime::Launchers::kAll));
  RETURN_IF_ERROR(CheckRanks(options, rank));
  if (rank && rank->launcher != 0) {
    RETURN_IF_ERROR(runtime::DieWithLauncher(rank->launcher));
  }
  if (rank && rank->ranks == 1) {
    return std::nullopt;
  }
  return rank;
}

// Before any rank starts and any log is emptied. Ranks that something else has
// started are told by the first of them, unless there are logs.
absl::Status CheckFirst(runtime::Vfs& vfs, const RunOptions& options,
                        const MaybeRank& rank) {
  if (rank && options.log_dir.empty()) {
    return absl::OkStatus();
  }
  return CheckRunFiles(vfs, options,
                       rank ? rank->ranks : options.ranks.value_or(1), nullptr);
}

int LaunchAll(const RunOptions& options, char** argv,
              const runtime::Logger& logger) {
  runtime::LauncherOptions launcher;
  launcher.ranks = *options.ranks;
  launcher.argv = argv;
  launcher.take_signal = [] {
    const int signal = stop_signal;
    stop_signal = 0;
    return signal;
  };
  launcher.secondary_status = static_cast<int>(ExitCode::kCommunication);
  InstallStopHandlers(/*once=*/false);
  // Ranks have process groups of their own, which a terminal's Ctrl-Z does not
  // reach.
  TakeSignal(SIGTSTP, 0);
  const absl::StatusOr<int> status = runtime::LaunchRanks(launcher, logger);
  if (!status.ok()) {
    logger.Log(runtime::LogLevel::kError, status.status().message());
    return static_cast<int>(
        ExitCodeOf(status.status(), ExitCode::kInputOutput));
  }
  return *status;
}

// From the start of the process on, or from main on if the kernel does not tell
// when that was.
runtime::TimeReport StartTimes(runtime::Vfs& vfs,
                               runtime::TimeReport::Clock::time_point main) {
  const auto age = runtime::ReadProcessAge(vfs);
  if (!age.ok()) {
    return runtime::TimeReport(main);
  }
  const auto now = runtime::TimeReport::Clock::now();
  runtime::TimeReport times(std::min(main, now - *age));
  times.Finish("loading the program", main);
  times.Finish("the command line", now);
  return times;
}

// Where pip has installed NVIDIA's libraries, if it has.
std::string PythonEnvironment() {
  const char* const folder = std::getenv("VIRTUAL_ENV");
  return folder == nullptr ? "" : folder;
}

int RunRank(runtime::Vfs& vfs, const RunOptions& options, const MaybeRank& rank,
            const runtime::Logger& logger,
            runtime::TimeReport::Clock::time_point main) {
  runtime::TimeReport times = StartTimes(vfs, main);
  const auto log =
      RankLog::Open(vfs, options, rank ? static_cast<int>(rank->rank) : 0,
                    rank ? static_cast<int>(rank->ranks) : 1);
  if (!log.ok()) {
    logger.Log(runtime::LogLevel::kError, log.status().message());
    return static_cast<int>(absl::IsResourceExhausted(log.status())
                                ? ExitCode::kMemory
                                : ExitCode::kInputOutput);
  }
  InstallStopHandlers(/*once=*/true);
  const RunEnvironment environment{vfs,
                                   (*log)->console(),
                                   (*log)->logger(),
                                   [] { return static_cast<int>(stop_signal); },
                                   rank,
                                   (*log)->failures(),
                                   options.time_report ? &times : nullptr,
                                   PythonEnvironment()};
  TrainingRun run(options, environment);
  ExitCode code = run.Run();
  const absl::Status said = (*log)->Close(LinePatience(options));
  if (code == ExitCode::kOk && !said.ok()) {
    code = ExitCode::kInputOutput;
  }
  // Asked to itself, or as another rank was.
  const int signal = stop_signal != 0 ? stop_signal : run.stop_signal();
  if (code == ExitCode::kOk && signal != 0) {
    return 128 + signal;
  }
  return static_cast<int>(code);
}

}  // namespace

int AccelRunMain(int argc, char** argv, runtime::Vfs& vfs) {
  const auto main = runtime::TimeReport::Clock::now();
  EndWhenOutOfMemory<static_cast<int>(ExitCode::kMemory)>();
  const auto parsed = ParseOptions(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) {
    return *status;
  }
  IgnoreWriteSignals();
  const RunOptions& options = std::get<RunOptions>(parsed);
  const runtime::Logger logger(runtime::LogLevel::kInfo, 0, 1,
                               runtime::StderrSink());
  const absl::StatusOr<MaybeRank> rank = FindRank(options);
  if (!rank.ok()) {
    logger.Log(runtime::LogLevel::kError, rank.status().message());
    return static_cast<int>(ExitCodeOf(rank.status(), ExitCode::kCommandLine));
  }
  if (const absl::Status files = CheckFirst(vfs, options, *rank); !files.ok()) {
    logger.Log(runtime::LogLevel::kError, files.message());
    return static_cast<int>(ExitCode::kCommandLine);
  }
  const bool launcher = !rank->has_value() && options.ranks.value_or(1) > 1;
  return launcher ? LaunchAll(options, argv, logger)
                  : RunRank(vfs, options, *rank, logger, main);
}

}  // namespace accel::tools
