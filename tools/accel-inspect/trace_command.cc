// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-inspect trace.
#include "tools/accel-inspect/trace_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/logger.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/text/printable.h"
#include "tools/accel-inspect/exit_status.h"
#include "tools/accel-inspect/trace_text.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr int64_t kMostColumns = 10000;

constexpr char kTraceFooter[] = R"help(
Examples:
  accel-run plan --steps 10 --profile --run-dir run       writes run/trace.json
  accel-inspect trace run/trace.json                      where the time of a step went
  accel-inspect trace run/trace.json --top 30 --layers    each layer by itself, more instructions
  accel-inspect trace run/trace.json --json               for programs (docs/running.md)

Of each stream: its modules, rolled up, and how long no instruction ran. Times are of one step: the median over the
steps of each instruction's time, summed, so rows add up; variation is what the median step takes beyond these medians,
by instructions that are slow in some steps only (on a machine that does other work it is large). Runs counts the
instructions executed in a step. h.* (12) are twelve layers together; (itself) is what a module does besides its
children; (update) and the like belong to no module. GB/s: the bytes that instructions name, read and written. Of roofline:
the time that this machine needs at least, computing or moving those bytes, as a share of the time taken; >100% means
that the bytes came from a cache, which is faster than the memory that was measured.

Exit status: 0 done; 2 command line; 3 trace of another release; 4 file, or no trace
)help";

struct TraceOptions {
  std::string file;
  bool json = false;
  bool layers = false;
  std::optional<uint64_t> rank;
  size_t top = 10;
  size_t width = 120;
};

absl::StatusOr<TraceFile> ReadTrace(const std::string& path) {
  const auto vfs = runtime::MakePosixVfs();
  ASSIGN_OR_RETURN(const std::string text,
                   runtime::ReadWholeFile(*vfs, path, kMostBytes));
  auto trace = ParseTrace(text);
  if (!trace.ok()) {
    return runtime::Annotate(trace.status(), absl::StrCat("'", path, "'"));
  }
  return trace;
}

int FailTrace(const absl::Status& status, int code) {
  runtime::StderrSink()(
      absl::StrCat("error: ", runtime::PrintableLines(status.message())));
  return absl::IsUnimplemented(status) ? kUnsupported : code;
}

int InspectTrace(const TraceOptions& options) {
  const auto trace = ReadTrace(options.file);
  if (!trace.ok()) {
    return FailTrace(trace.status(), kFileError);
  }
  ProfileOptions profile_options;
  profile_options.rank = options.rank;
  profile_options.fold = !options.layers;
  const auto profile = ProfileTrace(*trace, profile_options);
  if (!profile.ok()) {
    return FailTrace(profile.status(), kCommandLineError);
  }
  std::cout << (options.json ? absl::StrCat(TraceJson(*profile), "\n")
                             : runtime::PrintableLines(TraceText(
                                   *profile, options.top, options.width)));
  return 0;
}

}  // namespace

int InspectTraceMain(int argc, char** argv) {
  TraceOptions options;
  CLI::App app("Shows where the time of a run went.", "accel-inspect trace");
  app.formatter(MakeHelpFormatter());
  app.footer(kTraceFooter);
  app.add_option("file", options.file,
                 "The trace, written by accel-run --profile or --trace")
      ->type_name("TRACE")
      ->required();
  app.add_flag("--json", options.json, "Prints JSON");
  app.add_option(
         "--top", options.top,
         "How many of the most expensive instructions to list per stream")
      ->type_name("N")
      ->check(WholeNumber(0))
      ->capture_default_str();
  app.add_flag("--layers", options.layers,
               "Shows each of the layers that repeat by itself, and each "
               "instruction");
  app.add_option("--rank", options.rank, "The rank to show; default: the first")
      ->type_name("N")
      ->check(WholeNumber(0));
  app.add_option("--width", options.width, "Columns to fit into")
      ->type_name("N")
      ->check(WholeNumber(1, kMostColumns))
      ->capture_default_str();
  if (const std::optional<int> exit =
          ParseCommandLine(app, argc, argv,
                           {kCommandLineError,
                            "accel-inspect trace --help lists the options"})) {
    return *exit;
  }
  return InspectTrace(options);
}

}  // namespace accel::tools
