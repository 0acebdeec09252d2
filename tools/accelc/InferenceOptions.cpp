// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of inference, and complaints about their use.
#include "tools/accelc/InferenceOptions.h"

#include <algorithm>

namespace accel {
namespace {

/// Options of groups that inference has, too, which say how to train.
constexpr const char *kTrainingOptions[] = {
    "--global-batch", "--objective",  "--loss-weight", "--sparse-prediction",
    "--dropout",      "--batch-norm", "--eval",        "--bf16",
    "--fp16",         "--fp8",        "--estimate",    "--memory-limit",
    "--params"};

} // namespace

void addInferenceOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_flag("--inference", line.inference,
               "Make a plan that answers and does not train: accel-run PLAN "
               "--input x=x.npy --output y=y.npy. Inputs need no batch, "
               "weights are taken as they lie in the file, dropout does "
               "nothing, and batch norms use their running statistics")
      ->group(group);
  app.add_option("--bind", line.bindings,
                 "Give input NAME the array of FILE.npy in every run, "
                 "repeatable: inputs that are shapes, axes or settings have to "
                 "be known when the model is compiled")
      ->type_name("NAME=FILE")
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
}

void findComplaintsAboutInference(const CLI::App &app, const CommandLine &line,
                                  const std::vector<std::string> &trainingOnly,
                                  std::vector<std::string> &complaints) {
  if (!line.inference) {
    return;
  }
  auto contains = [](const auto &list, const std::string &word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
  };
  for (const CLI::Option *option : app.get_options()) {
    bool trains = contains(trainingOnly, option->get_group()) ||
                  contains(kTrainingOptions, option->get_name());
    if (option->count() > 0 && trains) {
      complaints.push_back(option->get_name() +
                           " does nothing with --inference, which trains "
                           "nothing on one rank; leave one of them out");
    }
  }
}

} // namespace accel
