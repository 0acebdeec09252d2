// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the run once for both.
#include "tools/accel-inspect/write_report.h"

#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/event_file.h"
#include "tools/accel-inspect/report_events.h"
#include "tools/accel-inspect/report_html.h"
#include "tools/accel-inspect/report_run.h"

namespace accel::tools {
namespace {

// Before anything is written: no output is a file of the run.
absl::Status CheckReportOutputs(runtime::Vfs& vfs,
                                const ReportOptions& options) {
  runtime::OutputFiles files(vfs);
  const std::string metrics = MetricsPath(vfs, options.run);
  RETURN_IF_ERROR(files.AddInput("metrics", metrics));
  if (metrics != options.run) {
    RETURN_IF_ERROR(
        files.AddInput("run.json", runtime::JoinPath(options.run, "run.json")));
  }
  return options.html.empty() ? absl::OkStatus()
                              : files.AddOutput("--html", options.html);
}

}  // namespace

absl::Status WriteReport(runtime::Vfs& vfs, const ReportOptions& options) {
  RETURN_IF_ERROR(CheckReportOutputs(vfs, options));
  ASSIGN_OR_RETURN(const RunReport run, ReadRunReport(vfs, options.run));
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

}  // namespace accel::tools
