// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of accel-compare's options and their help.
#include "tools/accel-compare/options.h"

#include <CLI/CLI.hpp>

#include "tools/accel-run/exit_code.h"
#include "tools/command-line/empty_paths.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr char kFooter[] = R"(
Initialises, trains and evaluates on one rank, one instruction after the other, on the device that the plan is made for and
on CPUs, and compares all that each instruction writes. It evaluates last, if the plan can, on the samples of the last step.
What differs is overwritten with what the CPU has computed, so a difference is that of the kernel that is named. Kernels have
the CPU's bits; products of libraries and attention sum in another order, and may differ by as much as that explains: 1e-4 of
the tensor's largest magnitude in f32, two steps of the precision of TF32 and of types of fewer bits. Products of 8 bits,
which GPUs sum in fewer bits than f32 has, may differ as those of TF32 may.

Examples:
  accelc gpt2.onnx --target=sm_90,cpu -o plan && accel-compare plan
  accel-compare plan --steps 1 --json differences.json

Exit status:
  0 all are close; 1 some kernel differs; otherwise as accel-run: 2 command line, 3 no such device or no code for CPUs, 4 a
  file, 5 memory, 11 a device did not answer, 12 data, 70 our mistake
)";

void AddOptions(CLI::App &app, CompareOptions &options) {
  app.add_option("plan", options.plan,
                 "A plan with code for its device and for CPUs")
      ->type_name("PLAN")
      ->required();
  app.add_option("--steps", options.steps, "Steps after the initialisation")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(0, 1000));
  app.add_option("--data", options.data,
                 "Data, as accel-run takes it; default: synthetic")
      ->type_name("DATA");
  app.add_option("--weights-dir", options.weights_dir,
                 "Folder of the files that the plan refers to")
      ->type_name("DIR");
  app.add_option("--global-batch", options.global_batch, "Samples of a step")
      ->type_name("N")
      ->check(WholeNumber(1));
  app.add_option("--seed", options.seed, "Of data, weights and dropout")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(0));
  app.add_option("--cuda-libs", options.cuda_libs,
                 "Opens NVIDIA's libraries in this folder")
      ->type_name("DIR");
  app.add_option("--json", options.json,
                 "Writes what was compared of each kernel to FILE")
      ->type_name("FILE");
}

} // namespace

std::variant<CompareOptions, int> ParseCompareOptions(int argc, char **argv) {
  CompareOptions options;
  CLI::App app("Compares what a plan computes on its device and on CPUs.",
               "accel-compare");
  app.formatter(MakeHelpFormatter());
  app.footer(kFooter);
  app.set_version_flag("--version", "accel-compare " ACCEL_VERSION);
  AddOptions(app, options);
  const auto done = ParseCommandLine(app, argc, argv,
                                     {static_cast<int>(ExitCode::kCommandLine),
                                      "accel-compare --help shows examples"});
  if (done) {
    return *done;
  }
  for (const std::string &complaint :
       FindEmptyPaths(app, {"--weights-dir", "--cuda-libs", "--json"})) {
    std::cerr << "error: " << complaint << "\n";
    return static_cast<int>(ExitCode::kCommandLine);
  }
  return options;
}

} // namespace accel::tools
