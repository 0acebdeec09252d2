// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of precision, and complaints about their use.
#include "tools/accelc/PrecisionOptions.h"

#include "dialects/Accel/IR/LossScale.h"
#include "passes/Target/TargetNames.h"
#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

#include "llvm/ADT/STLExtras.h"

namespace accel {

namespace {

/// What computes in which type.
void addTypes(CLI::App &app, CommandLine &line, const char *group) {
  app.add_flag("--bf16", line.bf16,
               "Products, attention and embeddings read bf16 and sum in f32; "
               "what kernels store for each other is bf16, weights are read in "
               "bf16 and kept in f32. Norms, losses and the optimizer compute "
               "in f32. Default: everything is f32")
      ->group(group);
  app.add_flag("--fp16", line.fp16,
               "The same in fp16, whose numbers end at 65504: the gradient is "
               "computed times a loss scale (--loss-scale), and a step in "
               "which it overflows is skipped")
      ->excludes("--bf16")
      ->group(group);
  app.add_flag("--tf32", line.tf32,
               "GPUs round the operands of products of f32, but not of "
               "attention, to TF32, which has ten bits of mantissa, and sum "
               "in f32: several times as fast. CPUs beside them multiply f32")
      ->group(group);
}

std::vector<std::string> fp8RecipeNames() {
  std::vector<std::string> names;
  for (const Fp8Recipe &recipe : getFp8Recipes()) {
    names.push_back(recipe.name.str());
  }
  return names;
}

/// Products that read less.
void addFp8(CLI::App &app, CommandLine &line, const char *group) {
  app.add_flag(
         "--fp8{current}", line.fp8.recipe,
         "As --bf16, and products of weights read floats of 8 bits, each "
         "tensor times a scale that makes its largest number that of the "
         "format: current, of what it is in this microbatch; delayed, of "
         "what it was in the steps before (--fp8-history); block, of "
         "each 128 numbers that a product sums, of a weight's squares of "
         "128 x 128; mx, of 32. CPUs "
         "compute with the same numbers in bf16, at its speed. "
         "Embeddings, attention, the logits, the experts of a mixture and "
         "products with a size that is no multiple of 16 stay bf16")
      ->type_name("[=RECIPE]")
      ->check(tools::OneOf(fp8RecipeNames()))
      ->excludes("--bf16")
      ->excludes("--fp16")
      ->group(group);
  app.add_option("--fp8-format", line.fp8.format,
                 "Of --fp8: hybrid (E4M3 with three bits of mantissa, "
                 "gradients E5M2 with a larger range) or e4m3 (all of it). "
                 "Default: hybrid; with block and mx, whose scales follow "
                 "gradients closely, e4m3")
      ->type_name("FORMAT")
      ->check(tools::OneOf({"hybrid", "e4m3"}))
      ->group(group);
}

/// The recipe that remembers.
void addFp8History(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option(
         "--fp8-history", line.fp8.history,
         "Of --fp8=delayed: how many steps a tensor's largest "
         "magnitude is remembered. Its scale is made for the largest of "
         "them")
      ->type_name("STEPS")
      ->check(tools::WholeNumber(1, Fp8Options::kMostSteps))
      ->capture_default_str()
      ->group(group);
  app.add_option("--fp8-amax", line.fp8.amax,
                 "Of --fp8=delayed: a scale is made for the largest magnitude "
                 "in the history (max) or for that of the step before "
                 "(most_recent)")
      ->type_name("RULE")
      ->check(tools::OneOf({"max", "most_recent"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--fp8-margin", line.fp8.margin,
                 "Of --fp8=delayed: scales are smaller by two to the power of "
                 "this, room for a tensor that grows from one step to the next")
      ->type_name("N")
      ->check(tools::WholeNumber(0, Fp8Options::kLargestMargin))
      ->capture_default_str()
      ->group(group);
}

void addLossScale(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--loss-scale", line.lossScale,
                 "The loss scale of --fp16: torch (torch.amp.GradScaler: "
                 "65536, twice as much after 2000 good steps, half as much "
                 "after each overflow), megatron (Megatron-LM: 2^32, 1000 "
                 "steps, from the second overflow on), or a number that stays; "
                 "accel-run --set loss_scale_window=... and "
                 "loss_scale_hysteresis=... change when")
      ->type_name("POLICY")
      ->check(CLI::Validator(
          [](const std::string &text) {
            return parseLossScale(text)
                       ? std::string()
                       : "expected torch, megatron or a number from 2^-126 to "
                         "2^127, got '" +
                             text + "'";
          },
          ""))
      ->capture_default_str()
      ->group(group);
}

/// Where it does not.
void addRules(CLI::App &app, const char *group) {
  app.add_option("--precision-exclude",
                 "Leave a product in f32 (of --fp8: in bf16), with its "
                 "gradients, where the "
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
                 "stay f32 (of --fp8: bf16)")
      ->type_name("REGEX")
      ->take_all()
      ->allow_extra_args(false)
      ->check(regularExpression("--precision-include='mlp'"))
      ->group(group);
}

} // namespace

void addPrecisionOptions(CLI::App &app, CommandLine &line, const char *group) {
  addTypes(app, line, group);
  addFp8(app, line, group);
  addFp8History(app, line, group);
  addLossScale(app, line, group);
  addRules(app, group);
  app.add_option("--residual-dtype", line.residualDtype,
                 "What sums of two activations, the residual stream of a "
                 "transformer, are stored in: bf16 (of --fp16: f16), or f32 "
                 "as under PyTorch's autocast. Default: as everything else")
      ->type_name("TYPE")
      ->check(tools::OneOf({"bf16", "f16", "f32"}))
      ->group(group);
}

void findComplaintsAboutPrecision(const CLI::App &app, const CommandLine &line,
                                  std::vector<std::string> &complaints) {
  const bool isLow = line.bf16 || line.fp16 || !line.fp8.recipe.empty();
  for (const char *option :
       {"--precision-exclude", "--precision-include", "--residual-dtype"}) {
    if (app.count(option) > 0 && !isLow) {
      complaints.push_back(std::string(option) +
                           ": expected --bf16, --fp16 or --fp8 with it, got "
                           "none; without one the option does nothing");
    }
  }
  if (app.count("--fp8-format") > 0 && line.fp8.recipe.empty()) {
    complaints.push_back("--fp8-format: expected --fp8 with it, got none; no "
                         "other precision has floats of 8 bits");
  }
  for (const char *option : {"--fp8-history", "--fp8-amax", "--fp8-margin"}) {
    const Fp8Recipe *recipe = findFp8Recipe(line.fp8.recipe);
    if (app.count(option) > 0 &&
        !(recipe && recipe->known == Fp8ScaleTime::BeforeStep)) {
      complaints.push_back(
          std::string(option) + ": expected --fp8=delayed with it, got " +
          (line.fp8.recipe.empty() ? "none" : "--fp8=" + line.fp8.recipe) +
          "; no other recipe remembers what was in the steps before");
    }
  }
  if (app.count("--fp8-history") > 0 && line.fp8.amax == "most_recent") {
    complaints.push_back("--fp8-history: expected --fp8-amax=max with it, got "
                         "most_recent, which remembers one step");
  }
  auto variants = parseVariants(line.target, [](const llvm::Twine &) {});
  if (line.tf32 && llvm::none_of(variants, isForGpus)) {
    complaints.push_back("--tf32: expected a variant for GPUs in --target, got "
                         "--target=" +
                         line.target +
                         "; for example --target=compute_80,cpu. CPUs do not "
                         "multiply TF32");
  }
  const std::string low = line.fp16 ? "f16" : "bf16";
  if (isLow && !line.residualDtype.empty() && line.residualDtype != "f32" &&
      line.residualDtype != low) {
    complaints.push_back("--residual-dtype: expected " + low +
                         " or f32 beside " +
                         (line.fp16   ? "--fp16"
                          : line.bf16 ? "--bf16"
                                      : "--fp8") +
                         ", got '" + line.residualDtype + "'");
  }
  if (app.count("--loss-scale") > 0 && !line.fp16) {
    complaints.push_back("--loss-scale: expected --fp16 with it, got none; no "
                         "other precision needs a loss scale");
  }
}

} // namespace accel
