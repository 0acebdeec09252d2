// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-inspect report.
#include "tools/accel-inspect/report_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/logger.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/path.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/event_file.h"
#include "tools/accel-inspect/exit_status.h"
#include "tools/accel-inspect/report_events.h"
#include "tools/accel-inspect/report_html.h"
#include "tools/accel-inspect/report_run.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"

namespace accel::tools {
namespace {

constexpr char kReportFooter[] = R"help(
Examples:
  accel-inspect report run --html report.html        a page about the run: one file, for any browser
  accel-inspect report run --tensorboard logs/run    the scalars of all steps, for tensorboard --logdir logs

RUN is a run directory of accel-run or its metrics.jsonl, also of a run that goes on. The page has loss and evaluation,
learning rate, gradient norm, tokens per second, memory, wait for data and loss scale by step, as far as the run has
them, what happened (resumes, gaps, skipped steps, checkpoints) and what ran. It loads nothing, has a light and a dark
form, and shows every extreme, however many steps there are. Another call writes both anew, so no point is doubled.

Exit status: 0 done; 2 command line; 4 file, or no metrics
)help";

struct ReportOptions {
  std::string path;
  std::string html;
  std::string tensorboard;
};

// Before anything is written: no output is a file of the run.
absl::Status CheckReportOutputs(runtime::Vfs& vfs,
                                const ReportOptions& options) {
  runtime::OutputFiles files(vfs);
  const std::string metrics = MetricsPath(vfs, options.path);
  RETURN_IF_ERROR(files.AddInput("metrics", metrics));
  if (metrics != options.path) {
    RETURN_IF_ERROR(files.AddInput(
        "run.json", runtime::JoinPath(options.path, "run.json")));
  }
  return options.html.empty() ? absl::OkStatus()
                              : files.AddOutput("--html", options.html);
}

absl::Status WriteReport(runtime::Vfs& vfs, const ReportOptions& options) {
  RETURN_IF_ERROR(CheckReportOutputs(vfs, options));
  ASSIGN_OR_RETURN(const RunReport run, ReadRunReport(vfs, options.path));
  // Where the page goes to standard output, nothing else does.
  const bool is_quiet =
      !options.html.empty() && runtime::IsStandardOutput(vfs, options.html);
  const auto say = [&](const std::string& what, const std::string& path,
                       uint64_t bytes) {
    const std::string line = absl::StrCat(
        what, runtime::Printable(path), ": ",
        runtime::Amount(static_cast<int64_t>(run.steps.size()), "step"), ", ",
        runtime::FormatBytes(bytes), "\n");
    (is_quiet ? std::cerr : std::cout) << line;
  };
  if (!options.html.empty()) {
    const std::string page = ReportHtml(run, EventsOf(run));
    RETURN_IF_ERROR(runtime::WriteFileAtomically(vfs, options.html, page));
    say("report       ", options.html, page.size());
  }
  if (!options.tensorboard.empty()) {
    ASSIGN_OR_RETURN(const uint64_t bytes,
                     WriteEventFile(vfs, run, options.tensorboard));
    say("tensorboard  ",
        runtime::JoinPath(options.tensorboard, EventFileName(run)), bytes);
  }
  return absl::OkStatus();
}

int FailReport(absl::string_view message, int code) {
  runtime::StderrSink()(
      absl::StrCat("error: ", runtime::PrintableLines(message)));
  return code;
}

}  // namespace

int InspectReportMain(int argc, char** argv) {
  ReportOptions options;
  CLI::App app("Writes a page about a run, and its scalars for TensorBoard.",
               "accel-inspect report");
  app.formatter(MakeHelpFormatter());
  app.footer(kReportFooter);
  app.add_option("run", options.path,
                 "Run directory of accel-run, or its metrics.jsonl")
      ->type_name("RUN")
      ->required();
  app.add_option("--html", options.html, "Writes the page to FILE")
      ->type_name("FILE");
  app.add_option("--tensorboard", options.tensorboard,
                 "Writes an event file into DIR, which is made if need be and "
                 "holds no other run's")
      ->type_name("DIR");
  if (const std::optional<int> exit =
          ParseCommandLine(app, argc, argv,
                           {kCommandLineError,
                            "accel-inspect report --help lists the options"})) {
    return *exit;
  }
  if (options.html.empty() && options.tensorboard.empty()) {
    return FailReport(
        "expected --html FILE, --tensorboard DIR or both, got none; for "
        "example accel-inspect report run --html report.html",
        kCommandLineError);
  }
  const auto vfs = runtime::MakePosixVfs();
  const absl::Status status = WriteReport(*vfs, options);
  return status.ok() ? 0 : FailReport(status.message(), kFileError);
}

}  // namespace accel::tools
