// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-inspect.
#include "tools/accel-inspect/accel_inspect.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/amount.h"
#include "runtime/base/logger.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/verify/verify_plan.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/exit_status.h"
#include "tools/accel-inspect/metrics_command.h"
#include "tools/accel-inspect/plan_diff.h"
#include "tools/accel-inspect/plan_json.h"
#include "tools/accel-inspect/plan_text.h"
#include "tools/accel-inspect/precision_report.h"
#include "tools/accel-inspect/run_command.h"
#include "tools/accel-inspect/schedule_text.h"
#include "tools/accel-inspect/trace_command.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr char kFooter[] = R"(
Examples:
  accel-inspect plan                       what it trains and needs, its buckets, the streams of the step side by side
  accel-inspect plan --schedule=full       every instruction in its row
  accel-inspect plan --schedule=accesses   every instruction with the memory that it touches
  accel-inspect plan --function init       another function
  accel-inspect plan --parameters          every parameter, its shape and where it lies
  accel-inspect plan --json                all of it, for programs (docs/plan-format.md)
  accel-inspect plan --precision           what every product and attention computes in
  accel-inspect --diff old.plan new.plan   what changed between two plans, for a pull request
  accel-inspect plan --verify              proves that kernels stay in their buffers, no streams race, no buffer overwrites another
  accel-inspect metrics run                how the losses of a run went; accel-inspect metrics --help explains its
                                           --svg, --width and --json
  accel-inspect run run                    what a run directory holds, and which checkpoints; accel-inspect run --help explains
                                           its --html, --tensorboard, --verify, --export, --at, --plan, --ema, --width and --json
  accel-inspect trace run/trace.json       where the time of a run went; accel-inspect trace --help explains its
                                           --top, --layers, --rank, --width and --json

Every use hashes the whole plan; a damaged one is refused, and the damaged section named.

Exit status: 0 done; 2 command line; 3 plan of another release; 4 file, or damaged plan; 6 --verify failed
)";

constexpr int64_t kMostColumns = 10000;

struct InspectOptions {
  std::string plan;
  std::string other;  // with `diff`
  bool diff = false;
  uint64_t ranks = 8;    // of `diff`
  std::string function;  // empty: the one that steps, or answers
  bool json = false;
  bool precision = false;
  bool parameters = false;
  bool verify = false;
  uint64_t threads = 1;
  std::string schedule = "folded";
  size_t width = 120;
};

absl::Status Verify(const runtime::Plan& plan,
                    const runtime::MemoryLayout& layout) {
  RETURN_IF_ERROR(runtime::VerifyPlan(plan.view(), layout));
  size_t instructions = 0;
  for (const runtime::FunctionView& function : plan.view().functions()) {
    instructions += function.instructions().size();
  }
  std::cout << "verified: content, launches, memory and schedule of "
            << runtime::Amount(
                   static_cast<int64_t>(plan.view().functions().size()),
                   "function")
            << ", "
            << runtime::Amount(static_cast<int64_t>(instructions),
                               "instruction")
            << "\n";
  return absl::OkStatus();
}

// The function called `name`; of none, the plan's main one.
const runtime::FunctionView* FindShown(const runtime::PlanView& plan,
                                       const std::string& name) {
  return name.empty() ? &plan.MainFunction() : plan.FindFunctionNamed(name);
}

absl::Status Print(const runtime::Plan& plan,
                   const runtime::MemoryLayout& layout,
                   const InspectOptions& options) {
  if (options.precision) {
    std::cout << (options.json ? PrecisionJson(plan.view()) + "\n"
                               : runtime::PrintableLines(PrecisionText(
                                     plan.view(), options.width)));
    return absl::OkStatus();
  }
  if (options.json) {
    ASSIGN_OR_RETURN(const std::string json, PlanJson(plan, layout));
    std::cout << json << "\n";
    return absl::OkStatus();
  }
  const runtime::FunctionView* function =
      FindShown(plan.view(), options.function);
  if (function == nullptr) {
    std::string names;
    for (const runtime::FunctionView& known : plan.view().functions()) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", known.name());
    }
    return absl::NotFoundError(absl::StrCat("--function: expected one of ",
                                            names, ", got ", options.function));
  }
  std::cout << runtime::PrintableLines(SummaryText(plan, layout)) << "\n"
            << runtime::PrintableLines(BucketsText(plan.view()));
  if (options.parameters) {
    std::cout << "\n" << runtime::PrintableLines(ParametersText(plan.view()));
  }
  std::string schedule;
  if (options.schedule == "accesses") {
    schedule =
        FunctionText(plan.view(), *function, static_cast<int>(options.width));
  } else {
    ASSIGN_OR_RETURN(schedule,
                     ScheduleText(plan.view(), *function, layout,
                                  options.schedule == "folded", options.width));
  }
  std::cout << "\n" << runtime::PrintableLines(schedule);
  return absl::OkStatus();
}

int Fail(const absl::Status& status, int code) {
  runtime::StderrSink()(
      absl::StrCat("error: ", runtime::PrintableLines(status.message())));
  return absl::IsUnimplemented(status) ? kUnsupported : code;
}

int Diff(const InspectOptions& options) {
  const auto vfs = runtime::MakePosixVfs();
  const auto before = runtime::Plan::Open(*vfs, options.plan);
  const auto after = runtime::Plan::Open(*vfs, options.other);
  for (const auto* plan : {&before, &after}) {
    if (!plan->ok()) {
      return Fail(plan->status(), kFileError);
    }
  }
  const auto text = PlanDiffText(**before, **after, options.ranks);
  if (!text.ok()) {
    return Fail(text.status(), kFileError);
  }
  std::cout << runtime::PrintableLines(*text);
  return 0;
}

// A complaint about options beside each other; empty: none.
std::string FindComplaint(const InspectOptions& options) {
  if (options.diff == options.other.empty()) {
    return options.diff ? "--diff: expected two plans, got one; for example "
                          "accel-inspect --diff before.plan after.plan"
                        : "expected one plan, got two; --diff compares them";
  }
  if (options.diff && (options.json || options.precision ||
                       options.parameters || options.verify)) {
    return "--diff: expected no other view beside it, got --json, "
           "--precision, --parameters or --verify";
  }
  return "";
}

int Inspect(const InspectOptions& options) {
  const auto vfs = runtime::MakePosixVfs();
  const auto plan = runtime::Plan::Open(*vfs, options.plan);
  if (!plan.ok()) {
    return Fail(plan.status(), kFileError);
  }
  runtime::RankBinding binding;
  binding.threads = options.threads;
  const auto layout = runtime::MemoryLayout::Create((*plan)->view(), binding);
  if (!layout.ok()) {
    return Fail(layout.status(), kFileError);
  }
  if (options.verify) {
    const absl::Status status = Verify(**plan, *layout);
    return status.ok() ? 0 : Fail(status, kVerificationError);
  }
  const absl::Status status = Print(**plan, *layout, options);
  return status.ok() ? 0 : Fail(status, kCommandLineError);
}

}  // namespace

int AccelInspectMain(int argc, char** argv) {
  if (argc > 1 && absl::string_view(argv[1]) == "trace") {
    return InspectTraceMain(argc - 1, argv + 1);
  }
  if (argc > 1 && absl::string_view(argv[1]) == "metrics") {
    return InspectMetricsMain(argc - 1, argv + 1);
  }
  if (argc > 1 && absl::string_view(argv[1]) == "run") {
    return InspectRunMain(argc - 1, argv + 1);
  }
  InspectOptions options;
  CLI::App app(
      "Shows a plan; with `metrics` how the losses of a run went, with `run` "
      "what "
      "its directory holds, with `trace` where its time went.",
      "accel-inspect");
  app.formatter(MakeHelpFormatter());
  app.footer(kFooter);
  app.set_version_flag("--version", "accel-inspect " ACCEL_VERSION);
  app.add_option("plan", options.plan, "The plan, written by accelc")
      ->type_name("PLAN")
      ->required();
  app.add_option("other", options.other,
                 "With --diff: the plan that the first is compared with")
      ->type_name("OTHER");
  app.add_option("--schedule", options.schedule,
                 "How to show the function: kernels of one bucket in one row, "
                 "every instruction in its row, or with all that it touches")
      ->type_name("folded|full|accesses")
      ->check(OneOf({"folded", "full", "accesses"}))
      ->capture_default_str();
  app.add_option(
         "--function", options.function,
         "Which function to show; by default the one that steps, or answers")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--parameters", options.parameters, "Lists the parameters");
  app.add_flag("--diff", options.diff,
               "Compares two plans, the older one first: precision, memory, "
               "traffic, instructions and kernels, as tables of Markdown");
  app.add_option("--ranks", options.ranks,
                 "Of how many ranks --diff compares memory and traffic")
      ->type_name("N")
      ->check(WholeNumber(1, 1 << 20))
      ->capture_default_str();
  app.add_flag("--precision", options.precision,
               "Lists what every product and attention of the step computes "
               "in, and why where it is not what was asked for");
  app.add_flag("--verify", options.verify,
               "Checks schedule and memory, prints one line");
  app.add_flag("--json", options.json, "Prints JSON");
  app.add_option("--width", options.width, "Columns to fit into")
      ->type_name("N")
      ->check(WholeNumber(1, kMostColumns))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "Threads per rank that sizes are shown for")
      ->type_name("N")
      ->check(WholeNumber(1, 4096))
      ->capture_default_str();
  if (const std::optional<int> exit = ParseCommandLine(
          app, argc, argv,
          {kCommandLineError, "accel-inspect --help lists the options"})) {
    return *exit;
  }
  if (const std::string complaint = FindComplaint(options);
      !complaint.empty()) {
    return Fail(absl::InvalidArgumentError(complaint), kCommandLineError);
  }
  return options.diff ? Diff(options) : Inspect(options);
}

}  // namespace accel::tools
