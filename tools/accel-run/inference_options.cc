// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of inference, and complaints about their use.
#include "tools/accel-run/inference_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace accel::tools {
namespace {

bool GoesWithInference(const CLI::Option& option) {
  static constexpr std::string_view kNames[] = {
      "plan",      "words",     "--input",       "--output",
      "--weights", "--quiet",   "--color",       "--weights-allow",
      "--threads", "--device",  "--weights-dir", "--cuda-libs",
      "--serial",  "--timeout", "--seed"};
  return option.get_group() == "Options from files" ||
         std::find(std::begin(kNames), std::end(kNames), option.get_name()) !=
             std::end(kNames);
}

}  // namespace

void AddInferenceOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--input", options.inputs,
                 "The array that an input of a plan of accelc --inference "
                 "gets, whole, of its shape and\ntype; once for each input")
      ->type_name("NAME=FILE.npy")
      ->group("Inference")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "Writes that output, repeatable. Of each output is printed "
                 "how large it is, and what lies in it")
      ->type_name("NAME=FILE.npy")
      ->group("Inference")
      ->take_all()
      ->allow_extra_args(false);
}

void FindInferenceFaults(const CLI::App& app, const RunOptions& options,
                         std::vector<std::string>& complaints) {
  if (!Infers(options)) {
    return;
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() != 0 && !GoesWithInference(*option)) {
      complaints.push_back(option->get_name() +
                           " does nothing with --input and --output, which "
                           "train nothing, on one rank; leave it out");
    }
  }
}

}  // namespace accel::tools
