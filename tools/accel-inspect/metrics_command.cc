// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-inspect metrics.
#include "tools/accel-inspect/metrics_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/logger.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/text_wrap.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/report/console.h"
#include "tools/accel-inspect/curve_svg.h"
#include "tools/accel-inspect/curve_text.h"
#include "tools/accel-inspect/exit_status.h"
#include "tools/accel-inspect/metrics_file.h"
#include "tools/accel-inspect/metrics_summary.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr size_t kMostRuns = 8;
constexpr int64_t kWidestCurve = 1000;

constexpr char kMetricsFooter[] = R"help(
Examples:
  accel-inspect metrics run                      the curve of the losses, and what they come to
  accel-inspect metrics run other                two runs in one picture
  accel-inspect metrics run --svg loss.svg       draws it; light or dark, as the reader's settings say
  accel-inspect metrics run --json               the summary for programs (docs/running.md)

RUN is a run directory of accel-run or its metrics.jsonl, also of a run that goes on. A directory that was used by
several runs shows all of them. Where the terminal's locale is UTF-8 the curve is drawn in dots, otherwise in ASCII.
Evaluations are letters over it (o, or A, B ...), and in the picture dots on a broken line.

Exit status: 0 done; 2 command line; 4 file, or no metrics
)help";

struct MetricsOptions {
  std::vector<std::string> paths;
  std::string svg;
  bool json = false;
  std::optional<size_t> width;
};

// Before anything is read: the picture is none of the files that it shows.
absl::Status CheckPicture(runtime::Vfs& vfs, const MetricsOptions& options) {
  runtime::OutputFiles files(vfs);
  for (const std::string& path : options.paths) {
    RETURN_IF_ERROR(files.AddInput("metrics", MetricsPath(vfs, path)));
  }
  return files.AddOutput("--svg", options.svg);
}

absl::StatusOr<std::vector<MetricsRun>> ReadAllRuns(
    runtime::Vfs& vfs, const std::vector<std::string>& paths) {
  std::vector<MetricsRun> runs;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::vector<MetricsRun> more, ReadMetrics(vfs, path));
    for (MetricsRun& run : more) {
      runs.push_back(std::move(run));
    }
  }
  if (runs.size() > kMostRuns) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at most ", kMostRuns,
                     " runs in one picture, got ", runs.size()));
  }
  return runs;
}

// Of a pipe text is not wrapped, as programs read lines.
struct OutputWidth {
  size_t chart = 0;  // columns
  int text = 0;      // 0: any
};

OutputWidth WidthOfOutput(const std::optional<size_t>& wanted) {
  const runtime::Console console(runtime::TerminalTraits::OfDescriptor(
                                     STDOUT_FILENO, runtime::ColorMode::kNever),
                                 [](absl::string_view) {});
  const size_t width = wanted.value_or(static_cast<size_t>(console.Width()));
  return {width, wanted || console.is_terminal() ? static_cast<int>(width) : 0};
}

absl::Status Show(runtime::Vfs& vfs, const MetricsOptions& options) {
  if (!options.svg.empty()) {
    RETURN_IF_ERROR(CheckPicture(vfs, options));
  }
  ASSIGN_OR_RETURN(const std::vector<MetricsRun> runs,
                   ReadAllRuns(vfs, options.paths));
  std::vector<Curve> curves;
  for (const MetricsRun& run : runs) {
    curves.push_back({LabelOf(run, runs), &run});
  }
  if (!options.svg.empty()) {
    RETURN_IF_ERROR(
        runtime::WriteFileAtomically(vfs, options.svg, CurveSvg(curves)));
  }
  if (options.json) {
    std::cout << SummaryJson(runs) << "\n";
    return absl::OkStatus();
  }
  const OutputWidth width = WidthOfOutput(options.width);
  if (options.svg.empty()) {
    CurveTextOptions text;
    text.width = width.chart;
    text.unicode = IsUtf8Locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"),
                                std::getenv("LANG"));
    std::cout << CurveText(curves, text) << "\n";
  }
  for (const Curve& curve : curves) {
    std::cout << runtime::WrapWords(SummaryText(*curve.run, curve.label),
                                    width.text);
  }
  return absl::OkStatus();
}

}  // namespace

int InspectMetricsMain(int argc, char** argv) {
  MetricsOptions options;
  CLI::App app("Shows how the losses of a run went.", "accel-inspect metrics");
  app.formatter(MakeHelpFormatter());
  app.footer(kMetricsFooter);
  app.add_option("runs", options.paths,
                 "Run directories of accel-run, or files metrics.jsonl")
      ->type_name("RUN")
      ->required();
  app.add_option("--svg", options.svg,
                 "Draws the curves into FILE instead of the terminal")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Prints the summary as JSON");
  app.add_option("--width", options.width,
                 "Columns to fit into; default: those of the terminal, or 80")
      ->type_name("N")
      ->check(WholeNumber(20, kWidestCurve));
  if (const std::optional<int> exit = ParseCommandLine(
          app, argc, argv,
          {kCommandLineError,
           "accel-inspect metrics --help lists the options"})) {
    return *exit;
  }
  const auto vfs = runtime::MakePosixVfs();
  const absl::Status status = Show(*vfs, options);
  if (!status.ok()) {
    runtime::StderrSink()(absl::StrCat("error: ", status.message()));
    return kFileError;
  }
  return 0;
}

}  // namespace accel::tools
