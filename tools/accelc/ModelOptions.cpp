// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of the model and of what trains in it.
#include "tools/accelc/ModelOptions.h"

#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

namespace accel {

void addShapeOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--dim", line.dimensions,
                 "Size of a symbolic dimension, repeatable: by its name in the "
                 "file, or `batch` for the microbatch, `seq` for the only "
                 "other one. The microbatch is 4 if nothing says otherwise")
      ->type_name("NAME=SIZE")
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--global-batch", line.globalBatch,
                 "Samples of a step; accel-run can change it")
      ->type_name("N")
      ->check(wholeNumberFrom(1, "--global-batch=32"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--objective", line.objective,
                 "What is minimised: auto (by the graph: its own loss, or "
                 "causal-lm, or classification), causal-lm, classification, "
                 "mse, or output:NAME, the mean of an output or a loss")
      ->type_name("KIND")
      ->check(objective())
      ->capture_default_str()
      ->group(group);
  app.add_option("--loss-weight", line.lossWeight,
                 "What the model's own loss is a mean over: targets (found in "
                 "the graph), or samples (any loss; the global batch must be a "
                 "multiple of microbatch x ranks then)")
      ->type_name("KIND")
      ->check(tools::OneOf({"targets", "samples"}))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--sparse-prediction", line.sparsePrediction,
               "Compute logits only where there is a label (a class; -100 is "
               "none): for masked language models, and instructions whose "
               "answers alone are trained. The losses stay the same")
      ->group(group);
  app.add_option("--init", line.init,
                 "Begin with random weights: gpt2 (normal 0.02, projections "
                 "into the residual smaller, norms 1, biases 0) or normal:STD. "
                 "Default: the file's weights")
      ->type_name("POLICY")
      ->check(notEmpty("gpt2 or normal:STD", "--init=normal:0.02"))
      ->group(group);
  app.add_option("--dropout", line.dropout,
                 "model (as the file has it), off, or a probability for every "
                 "site of the model")
      ->type_name("model|off|P")
      ->capture_default_str()
      ->group(group);
  app.add_option("--batch-norm", line.batchNorm,
                 "Whose statistics batch norms take: of each microbatch; sync: "
                 "of the microbatches of all ranks together, so losses depend "
                 "on the number of ranks; frozen: the file's")
      ->type_name("KIND")
      ->check(tools::OneOf({"microbatch", "sync", "frozen"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--eval", line.eval,
                 "on: the plan can also measure the loss, without dropout "
                 "(accel-run --eval-data), unless the model mixes the samples "
                 "of a microbatch; off: it cannot, and is smaller")
      ->type_name("on|off")
      ->check(tools::OneOf({"on", "off"}))
      ->capture_default_str()
      ->group(group);
}

void addParameterOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--params", line.params,
                 "The state dict of the module that was exported, as "
                 "safetensors.torch.save_model writes it, or the index of "
                 "several such files: what the exporter computed of parameters "
                 "and kept as constants (bias tables, exp, weight norm) is "
                 "computed of them again, if that gives the same bits")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--freeze",
                 "Do not train the parameters whose names the pattern (a POSIX "
                 "extended regular expression) is found in, repeatable; of "
                 "--freeze and --train the last one that matches a name "
                 "decides. A file does not say what PyTorch froze")
      ->type_name("REGEX")
      ->take_all()
      ->allow_extra_args(false)
      ->check(regularExpression("--freeze='^backbone[.]'"))
      ->group(group);
  app.add_option("--train",
                 "Train the parameters whose names the pattern is found in; "
                 "if the first pattern is a --train, no others")
      ->type_name("REGEX")
      ->take_all()
      ->allow_extra_args(false)
      ->check(regularExpression("--train='lora_'"))
      ->group(group);
  app.add_option("--padding-row", line.paddingRows,
                 "The row of embedding NAME that its lookups do not train "
                 "(padding_idx of PyTorch), or none, repeatable. Default: what "
                 "the file says")
      ->type_name("NAME=ROW|none")
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
}

} // namespace accel
