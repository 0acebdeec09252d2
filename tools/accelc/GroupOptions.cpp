// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules are parsed here to be refused early, and once more by the pass.
#include "tools/accelc/GroupOptions.h"

#include "passes/Accumulate/GroupRule.h"
#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

#include <cmath>

namespace accel {
namespace {

CLI::Validator groupRule() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        std::string problem;
        return parseGroupRule(text, problem)
                   ? ""
                   : "expected REGEX:lr=X,decay=X, got '" + text +
                         "': " + problem +
                         "; for example --group='^embed:lr=0.1x,decay=0'";
      },
      "");
}

CLI::Validator layerFactor() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        double value = 0.0;
        bool isNumber = CLI::detail::lexical_cast(text, value);
        return isNumber && value > 0 && value <= 1
                   ? ""
                   : "expected a number above 0 and up to 1, got '" + text +
                         "'; for example --layer-decay=0.75";
      },
      "");
}

} // namespace

void addGroupOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--group", line.groups,
                 "Another learning rate and weight decay for the parameters "
                 "whose names the pattern is found in, repeatable: lr=0.1x, a "
                 "factor, or lr=3e-5, a rate in place of --lr; decay=X, "
                 "whatever the rank. Of several patterns that match a name the "
                 "last one decides, lr and decay each for itself")
      ->type_name("REGEX:lr=X,decay=X")
      ->take_all()
      ->allow_extra_args(false)
      ->check(groupRule())
      ->group(group);
  app.add_option("--layer-decay", line.layerDecay,
                 "Factor of the learning rate from one block of the model to "
                 "the one before, as timm defines it: head 1, last block X, "
                 "the one before X^2 ... embeddings least; multiplies lr of "
                 "--group. 1: none")
      ->type_name("X")
      ->check(layerFactor())
      ->capture_default_str()
      ->group(group);
  app.add_option("--decay", line.decay,
                 "What --weight-decay applies to: rank (tensors of rank 2 and "
                 "more) or hf (Hugging Face Trainer's choice: all but biases "
                 "and norms)")
      ->type_name("RULE")
      ->check(tools::OneOf({"rank", "hf"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--ema", line.ema,
                 "Also keep an average of every parameter that trains, e = X e "
                 "+ (1 - X) p after each step: accel-run --export-ema writes "
                 "it. 0: none")
      ->type_name("X")
      ->check(numberFrom(0, 1, "from 0 to below 1", "--ema=0.999"))
      ->capture_default_str()
      ->group(group);
}

void findComplaintsAboutGroups(const CommandLine &line,
                               std::vector<std::string> &complaints) {
  for (const std::string &text : line.groups) {
    std::string problem;
    std::optional<GroupRule> rule = parseGroupRule(text, problem);
    if (rule && rule->rate && line.lr == 0) {
      complaints.push_back("--group='" + text +
                           "': expected a factor such as lr=0.1x where --lr "
                           "is 0, got a rate");
    }
  }
}

} // namespace accel
