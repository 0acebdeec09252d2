// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the help that are not about a single option.
#include "tools/accelc/HelpText.h"

#include "compiler/Phases.h"

namespace accel {

const char *const kDescription =
    "Compiles the training step of an ONNX model - forward, loss, backward, "
    "accumulation, optimizer - into\none file, the plan, which accel-run "
    "executes.";

static const char *const kExamples = R"(Examples:
  accelc gpt2.onnx -o plan
      everything by default: the objective by the graph, AdamW, a microbatch of 4, 32 samples a step
  accelc gpt2.onnx -o plan --dim batch=2 --dim seq=128 --init=gpt2 --lr=3e-4 --schedule=cosine --warmup-steps=100
      from random weights, with a schedule that ends where the run does
  accelc gpt2.onnx --estimate
      how much memory training needs
  accelc gpt2.onnx --compile-to=differentiate
      the program with its gradients, as text
)";

static const char *const kExitCodes = R"(
Exit status:
  0 done; 1 the model or an option makes no training step; 2 command line; 3 unsupported operator;
  4 a file cannot be read, is damaged or cannot be written; 70 internal error
)";

std::string makeFooter() {
  std::string text = kExamples;
  text += "\nPhases (--compile-to, --dump-phases):\n";
  for (const PhaseInfo &info : getPhases()) {
    std::string name = "  " + info.name.str();
    name.resize(17, ' ');
    text += name + info.meaning.str() + "\n";
  }
  return text + kExitCodes;
}

} // namespace accel
