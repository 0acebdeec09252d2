// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of precision, and complaints about their use.
#include "tools/accelc/PrecisionOptions.h"

#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

namespace accel {

void addPrecisionOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_flag("--bf16", line.bf16,
               "Products, attention and embeddings read bf16 and sum in f32; "
               "what kernels store for each other is bf16, weights are read in "
               "bf16 and kept in f32. Norms, losses and the optimizer compute "
               "in f32. Default: everything is f32")
      ->group(group);
  app.add_option("--precision-exclude",
                 "Leave a product in f32, with its gradients, where the "
                 "pattern (a POSIX extended regular expression) is found in "
                 "the name of its parameter or its ONNX node, repeatable; of "
                 "--precision-exclude and --precision-include the last one "
                 "that matches decides")
      ->type_name("REGEX")
      ->take_all()
      ->allow_extra_args(false)
      ->check(regularExpression("--precision-exclude='^lm_head'"))
      ->group(group);
  app.add_option("--precision-include",
                 "Undo --precision-exclude where the pattern is found; if the "
                 "first pattern is a --precision-include, all other products "
                 "stay f32")
      ->type_name("REGEX")
      ->take_all()
      ->allow_extra_args(false)
      ->check(regularExpression("--precision-include='mlp'"))
      ->group(group);
  app.add_option("--residual-dtype", line.residualDtype,
                 "What sums of two activations, the residual stream of a "
                 "transformer, are stored in: bf16, or f32 as under PyTorch's "
                 "autocast")
      ->type_name("TYPE")
      ->check(tools::OneOf({"bf16", "f32"}))
      ->capture_default_str()
      ->group(group);
}

void findComplaintsAboutPrecision(const CLI::App &app, const CommandLine &line,
                                  std::vector<std::string> &complaints) {
  for (const char *option :
       {"--precision-exclude", "--precision-include", "--residual-dtype"}) {
    if (app.count(option) > 0 && !line.bf16) {
      complaints.push_back(std::string(option) +
                           ": expected --bf16 with it, got none; without it "
                           "the option does nothing");
    }
  }
}

} // namespace accel
