// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-inspect run.
#include "tools/accel-inspect/run_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/logger.h"
#include "runtime/io/output_target.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/exit_status.h"
#include "tools/accel-inspect/run_contents.h"
#include "tools/accel-inspect/run_export.h"
#include "tools/accel-inspect/run_text.h"
#include "tools/accel-inspect/write_report.h"
#include "tools/command-line/empty_paths.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr int64_t kMostColumns = 10000;

constexpr char kRunFooter[] = R"help(
Examples:
  accel-inspect run run                          its plan, data, steps, losses and checkpoints
  accel-inspect run run --verify                 reads all checkpoints, and says which file and tensor is damaged
  accel-inspect run run --export trained.onnx    the model of the newest intact checkpoint, as accel-run writes it
  accel-inspect run run --export m.safetensors --at 250
  accel-inspect run run --json                   the same for programs (docs/reliability.md)
  accel-inspect run run --html report.html       a page about the run: one file, for any browser
  accel-inspect run run --tensorboard logs/run   the scalars of all steps, for tensorboard --logdir logs

RUN is a run directory of accel-run, also of a run that goes on or has died. Without --verify a checkpoint is intact if its
manifest, sizes and headers are; damage in the middle of its data is found by reading it.

The page has loss and evaluation, learning rate, gradient norm, tokens per second, memory, wait for data and loss scale by
step, as far as the run has them, what happened (resumes, gaps, skipped steps, checkpoints) and what ran. It loads nothing,
has a light and a dark form, and shows every extreme, however many steps there are. RUN may be a metrics.jsonl alone.
Another call writes page and events anew, so no point is doubled.

Exit status: 0 done; 2 command line, or a plan of another model; 3 of another release; 4 file, no run directory, no
checkpoint, or one that is damaged, with --verify
)help";

struct RunOptions {
  RunExportOptions model;
  ReportOptions report;
  bool json = false;
  bool verify = false;
  size_t width = 120;
};

void Say(absl::string_view kind, absl::string_view message) {
  runtime::StderrSink()(
      absl::StrCat(kind, ": ", runtime::PrintableLines(message)));
}

int Fail(const absl::Status& status) {
  Say("error", status.message());
  return absl::IsUnimplemented(status)        ? kUnsupported
         : absl::IsFailedPrecondition(status) ? kCommandLineError
                                              : kFileError;
}

// A complaint about options beside each other; empty: none.
std::string FindComplaint(const RunOptions& options) {
  const bool exports = !options.model.file.empty();
  const bool reports =
      !options.report.html.empty() || !options.report.tensorboard.empty();
  if (reports && (exports || options.json || options.verify)) {
    return "--html and --tensorboard: expected no other view beside them, got "
           "--export, --json or --verify";
  }
  if (exports && (options.json || options.verify)) {
    return "--export: expected no other view beside it, got --json or --verify";
  }
  if (!exports && (options.model.at || !options.model.plan.empty() ||
                   options.model.averages)) {
    return "--at, --plan and --ema say what --export writes; name its file, or "
           "leave them out";
  }
  return "";
}

int Export(runtime::Vfs& vfs, const RunOptions& options) {
  const auto said =
      ExportFromRun(vfs, options.model,
                    [](absl::string_view message) { Say("warning", message); });
  if (!said.ok()) {
    return Fail(said.status());
  }
  (runtime::IsStandardOutput(vfs, options.model.file) ? std::cerr : std::cout)
      << runtime::PrintableLines(*said);
  return 0;
}

int Report(runtime::Vfs& vfs, const RunOptions& options) {
  ReportOptions report = options.report;
  report.run = options.model.run;
  const absl::Status status = WriteReport(vfs, report);
  if (!status.ok()) {
    Say("error", status.message());
    return kFileError;
  }
  return 0;
}

int Show(runtime::Vfs& vfs, const RunOptions& options) {
  if (!options.report.html.empty() || !options.report.tensorboard.empty()) {
    return Report(vfs, options);
  }
  const auto search = options.verify ? runtime::DamageSearch::kData
                                     : runtime::DamageSearch::kHeaders;
  const auto run = ReadRun(vfs, options.model.run, search);
  if (!run.ok()) {
    return Fail(run.status());
  }
  std::cout << (options.json
                    ? absl::StrCat(RunJson(*run), "\n")
                    : runtime::PrintableLines(RunText(*run, options.width)));
  for (const FoundCheckpoint& checkpoint : run->checkpoints) {
    if (options.verify && !checkpoint.IsIntact()) {
      return kFileError;
    }
  }
  return 0;
}

void AddOptions(CLI::App& app, RunOptions& options) {
  app.add_option("run", options.model.run, "A run directory of accel-run")
      ->type_name("RUN")
      ->required();
  app.add_flag("--verify", options.verify,
               "Reads all of every checkpoint and compares it with its hashes; "
               "what is damaged is named by file and tensor");
  app.add_option(
         "--export", options.model.file,
         "Writes the model of a checkpoint, without running anything: "
         "FILE.onnx is the original graph, FILE.safetensors the weights "
         "under their original names, adapter_model.safetensors the adapters "
         "of accelc --lora")
      ->type_name("FILE");
  app.add_option(
         "--at", options.model.at,
         "The step whose checkpoint --export takes; default: the newest "
         "one that is intact")
      ->type_name("STEP")
      ->check(WholeNumber(0));
  app.add_option("--plan", options.model.plan,
                 "The plan that --export takes names, shapes and the graph "
                 "from; default: the one that the run names, from the folder "
                 "that it was started in")
      ->type_name("PLAN");
  app.add_flag("--ema", options.model.averages,
               "--export takes the averages of the parameters (accelc --ema)");
  app.add_flag("--json", options.json, "Prints JSON");
  app.add_option("--html", options.report.html,
                 "Writes a page about the run to FILE")
      ->type_name("FILE");
  app.add_option("--tensorboard", options.report.tensorboard,
                 "Writes an event file into DIR, which is made if need be and "
                 "holds no other run's")
      ->type_name("DIR");
  app.add_option("--width", options.width, "Columns to fit into")
      ->type_name("N")
      ->check(WholeNumber(1, kMostColumns))
      ->capture_default_str();
}

}  // namespace

int InspectRunMain(int argc, char** argv) {
  RunOptions options;
  CLI::App app("Shows what a run directory holds.", "accel-inspect run");
  app.formatter(MakeHelpFormatter());
  app.footer(kRunFooter);
  AddOptions(app, options);
  if (const std::optional<int> exit = ParseCommandLine(
          app, argc, argv,
          {kCommandLineError, "accel-inspect run --help lists the options"})) {
    return *exit;
  }
  std::vector<std::string> complaints =
      FindEmptyPaths(app, {"--export", "--plan", "--html", "--tensorboard"});
  if (const std::string complaint = FindComplaint(options);
      !complaint.empty()) {
    complaints.push_back(complaint);
  }
  for (const std::string& complaint : complaints) {
    Say("error", complaint);
  }
  if (!complaints.empty()) {
    return kCommandLineError;
  }
  const auto vfs = runtime::MakePosixVfs();
  return options.model.file.empty() ? Show(*vfs, options)
                                    : Export(*vfs, options);
}

}  // namespace accel::tools
