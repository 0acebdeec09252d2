// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command line, terminal and signals around a TrainingRun.
#include "tools/accel-run/accel_run.h"

#include <signal.h>
#include <unistd.h>

#include <memory>

#include "runtime/io/posix_vfs.h"
#include "tools/accel-run/training_run.h"

namespace accel::tools {
namespace {

volatile sig_atomic_t stop_signal = 0;

void RequestStop(int signal) { stop_signal = signal; }

void InstallStopHandler(int signal) {
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  // A second signal finds the default action; reads go on.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

int AccelRunMain(int argc, char** argv) {
  const auto parsed = ParseOptions(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) {
    return *status;
  }
  const RunOptions& options = std::get<RunOptions>(parsed);
  const std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  runtime::Console console(
      runtime::TerminalTraits::OfDescriptor(STDOUT_FILENO, options.color),
      runtime::Console::ToDescriptor(STDOUT_FILENO));
  const runtime::Logger logger(runtime::LogLevel::kInfo, 0, 1,
                               runtime::StderrSink());
  InstallStopHandler(SIGINT);
  InstallStopHandler(SIGTERM);
  const RunEnvironment environment{*vfs, console, logger,
                                   [] { return stop_signal != 0; }};
  const ExitCode code = TrainingRun(options, environment).Run();
  if (code == ExitCode::kOk && stop_signal != 0) {
    return 128 + stop_signal;
  }
  return static_cast<int>(code);
}

}  // namespace accel::tools
