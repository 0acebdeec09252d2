// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command line, environment, terminal and signals around a TrainingRun, or
// around the processes of several.
#include "tools/accel-run/accel_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/launch/launcher.h"
#include "tools/accel-run/failure_report.h"
#include "tools/accel-run/inference_run.h"
#include "tools/accel-run/launched_run.h"
#include "tools/accel-run/rank_log.h"
#include "tools/accel-run/run_files.h"
#include "tools/accel-run/stop_signals.h"
#include "tools/accel-run/training_run.h"
#include "tools/command-line/out_of_memory.h"

namespace accel::tools {
namespace {

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
  if (options.max_restarts > 0 && rank && !launched) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--max-restarts ", options.max_restarts,
        ": expected a run whose ranks accel-run starts (-n), got one that "
        "another launcher has started; let that start it again, with "
        "--resume=auto, and leave out --max-restarts"));
  }
  if (Infers(options) && rank && rank->ranks > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input and --output: expected one process, got rank ", rank->rank,
        " of ", rank->ranks, "; a plan answers on one, without a launcher"));
  }
  if (options.check && rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--check: expected one process, got rank ", rank->rank, " of ",
        rank->ranks, "; check once, without a launcher (accel-run ",
        options.plan, " -n ", rank->ranks, " --check)"));
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

// Which rank this process is, or nothing: no launcher has started it.
absl::StatusOr<MaybeRank> FindRank(const RunOptions& options) {
  // -n says what is meant, wherever it is typed. RANK besides it is a mistake.
  ASSIGN_OR_RETURN(
      MaybeRank rank,
      runtime::ParseRankEnvironment(
          [](const char* name) -> const char* { return std::getenv(name); },
          options.ranks ? runtime::Launchers::kTorchrun
                        : runtime::Launchers::kAll));
  RETURN_IF_ERROR(CheckRanks(options, rank));
  RETURN_IF_ERROR(CheckRestarts(options));
  if (rank && rank->launcher != 0) {
    RETURN_IF_ERROR(runtime::DieWithLauncher(rank->launcher));
  }
  return rank;
}

// Before any rank starts and any log is emptied. Ranks that something else has
// started are told by the first of them, unless there are logs; --check tells
// it with all else.
absl::Status CheckFirst(runtime::Vfs& vfs, const RunOptions& options,
                        const MaybeRank& rank) {
  const bool is_told = rank && rank->ranks > 1 && options.log_dir.empty();
  if (is_told || options.check) {
    return absl::OkStatus();
  }
  return CheckRunFiles(vfs, options,
                       rank ? rank->ranks : options.ranks.value_or(1), nullptr);
}

// As the launcher of a restart says.
RunOptions OptionsOfRank(const RunOptions& options, const MaybeRank& rank) {
  RunOptions own = options;
  if (rank && !rank->resume.empty()) {
    own.resume = rank->resume;
  }
  return own;
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

// How this process speaks of its failure. True: it is said, or will be by our
// launcher, who has more to say of a run that had begun.
bool SayFailure(runtime::Vfs& vfs, const RunOptions& options, char** argv,
                const MaybeRank& rank, const RankLog& log,
                const runtime::FailureNote& note, ExitCode code) {
  const bool speaks = note.has_begun && (!rank || rank->rank == 0);
  if (rank && rank->failure_note >= 0) {
    if (!runtime::WriteNote(rank->failure_note, note).ok() || !speaks) {
      return false;
    }
    log.file_logger().Log(runtime::LogLevel::kError, note.what);
    return true;
  }
  if (!speaks) {
    return false;
  }
  log.logger().Log(runtime::LogLevel::kError, note.what);
  Failure failure;
  // Of several the error names the one.
  failure.pid = rank && rank->ranks > 1 ? 0 : getpid();
  failure.where = note.where;
  failure.since_ns = note.since_ns;
  failure.status = static_cast<int>(code);
  failure.run_directory = note.run_directory;
  log.logger().Log(
      runtime::LogLevel::kInfo,
      absl::StrCat("  ", FailureReport(vfs, options, argv, failure)));
  return true;
}

int RunRank(runtime::Vfs& vfs, const RunOptions& options, char** argv,
            const MaybeRank& rank, const runtime::Logger& logger,
            runtime::TimeReport::Clock::time_point main) {
  runtime::TimeReport times = StartTimes(vfs, main);
  const auto log = RankLog::Open(
      vfs, options, rank ? static_cast<int>(rank->rank) : 0,
      rank ? static_cast<int>(rank->ranks) : 1, rank ? rank->restarts : 0);
  if (!log.ok()) {
    logger.Log(runtime::LogLevel::kError, log.status().message());
    return static_cast<int>(absl::IsResourceExhausted(log.status())
                                ? ExitCode::kMemory
                                : ExitCode::kInputOutput);
  }
  // Our launcher gets a second signal, too, and ends all ranks at once.
  TakeStopSignals(rank && rank->launcher != 0 ? SecondSignal::kIsIgnored
                                              : SecondSignal::kEnds);
  const RunEnvironment environment{
      vfs,
      (*log)->console(),
      (*log)->logger(),
      StopSignal,
      rank && rank->ranks > 1 ? rank : std::nullopt,
      (*log)->failures(),
      options.time_report ? &times : nullptr,
      PythonEnvironment(),
      [&](const runtime::FailureNote& note, ExitCode code) {
        return SayFailure(vfs, options, argv, rank, **log, note, code);
      }};
  TrainingRun run(options, environment);
  ExitCode code = run.Run();
  const absl::Status said = (*log)->Close(LinePatience(options));
  if (code == ExitCode::kOk && !said.ok()) {
    code = ExitCode::kInputOutput;
  }
  // Asked to itself, or as another rank was.
  const int signal = StopSignal() != 0 ? StopSignal() : run.stop_signal();
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
  if (Infers(options)) {
    return static_cast<int>(
        RunInference(vfs, options, PythonEnvironment(), logger));
  }
  const bool launches =
      !rank->has_value() && !options.check &&
      (options.ranks.value_or(1) > 1 || options.max_restarts > 0);
  return launches ? LaunchedRun(vfs, options, argv).Run()
                  : RunRank(vfs, OptionsOfRank(options, *rank), argv, *rank,
                            logger, main);
}

}  // namespace accel::tools
