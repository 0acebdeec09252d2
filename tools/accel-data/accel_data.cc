// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals and output around the commands of accel-data.
#include "tools/accel-data/accel_data.h"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/output_target.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/report/console.h"
#include "runtime/text/printable.h"
#include "tools/accel-data/exit_code.h"
#include "tools/accel-data/options.h"

namespace accel::tools {
namespace {

volatile sig_atomic_t stop_signal = 0;

void RequestStop(int signal) { stop_signal = signal; }

// A second signal finds the default action.
void InstallStopHandlers() {
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int Fail(const absl::Status& status) {
  std::cout << std::flush;
  std::cerr << "error: " << runtime::PrintableLines(status.message()) << "\n";
  return static_cast<int>(DataExitCodeOf(status));
}

int RunPack(const PackOptions& options) {
  const auto vfs = runtime::MakePosixVfs();
  runtime::Console console(runtime::TerminalTraits::OfDescriptor(
                               STDERR_FILENO, runtime::ColorMode::kNever),
                           runtime::Console::ToDescriptor(STDERR_FILENO));
  InstallStopHandlers();
  const auto result = Pack(
      options, {*vfs, console, [] { return static_cast<int>(stop_signal); }});
  if (absl::IsCancelled(result.status())) {
    std::cerr << "stopped by " << (stop_signal == SIGINT ? "SIGINT" : "SIGTERM")
              << "; '" << options.output << "' was not written\n";
    return 128 + stop_signal;
  }
  if (!result.ok()) {
    return Fail(result.status());
  }
  if (!options.quiet) {
    // Where standard output takes the tokens, it takes nothing else.
    std::ostream& out =
        runtime::IsStandardOutput(*vfs, options.output) ? std::cerr : std::cout;
    out << result->Describe(options.output) << "\n";
  }
  return 0;
}

int RunReport(const DataOptions& options) {
  using Command = DataOptions::Command;
  const auto vfs = runtime::MakePosixVfs();
  const auto report = options.command == Command::kInfo     ? ReportInfo
                      : options.command == Command::kVerify ? VerifyFiles
                                                            : PrintHead;
  const absl::Status status =
      report(*vfs, options.report,
             [](const std::string& line) { std::cout << line << "\n"; });
  return status.ok() ? 0 : Fail(status);
}

}  // namespace

int AccelDataMain(int argc, char** argv) {
  const auto parsed = ParseDataOptions(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) {
    return *status;
  }
  const DataOptions& options = std::get<DataOptions>(parsed);
  return options.command == DataOptions::Command::kPack ? RunPack(options.pack)
                                                        : RunReport(options);
}

}  // namespace accel::tools
