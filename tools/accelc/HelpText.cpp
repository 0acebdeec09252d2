// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The help's words and its layout.
#include "tools/accelc/HelpText.h"

#include "compiler/Phases.h"

#include <algorithm>
#include <sstream>

namespace accel {

const char *const kDescription =
    "Compiles the training step of an ONNX model - forward, loss, backward, "
    "accumulation, optimizer - into\none file, the plan, which accel-run "
    "executes.";

static const char *const kExamples = R"(Examples:
  accelc gpt2.onnx -o plan
      everything by default: objective by the graph, AdamW, microbatches of 4, 32 samples a step
  accelc gpt2.onnx -o plan --dim seq=128 --init=gpt2 --lr=3e-4 --schedule=cosine --warmup-steps=100
      from random weights, with a schedule that ends where the run does
  accelc gpt2.onnx -o plan --lora 'rank=8,alpha=16,targets=c_attn|c_proj'
      with low-rank adapters beside these layers, which train alone
  accelc swin.onnx --params model.safetensors -o plan
      what the exporter computed of parameters is computed of them again, from their state dict
  accelc gpt2.onnx --inference --dim batch=1 -o plan
      the forward pass alone: accel-run plan --input x=x.npy --output y=y.npy answers
  accelc gpt2.onnx --fsdp --estimate --memory-limit=16GiB
      how much memory each rank needs, what ranks send each other, and how many ranks fit
  accelc gpt2.onnx --check
      everything that keeps the model from training, in one run; no plan
  accelc gpt2.onnx --compile-to=differentiate
      the program with its gradients, as text
  accelc gpt2.onnx --target=compute_80,cpu -o plan
      planned for NVIDIA GPUs; accel-run --device=cpu executes the same program on a CPU
)";

static const char *const kExitCodes = R"(
Outputs appear complete or not at all and keep the mode of the file that was there. None may be a file
that is read. A FIFO or device is written to, and - is standard output

Exit status:
  0 done; 1 the model or an option makes no training step, or none within --memory-limit;
  2 command line; 3 unsupported operator; 4 a file cannot be read, is damaged or cannot be written;
  70 internal error
)";

std::string makeFooter() {
  std::string text = "Phases (--compile-to, --dump-phases):\n";
  for (const PhaseInfo &info : getPhases()) {
    std::string name = "  " + info.name.str();
    name.resize(17, ' ');
    text += name + info.meaning.str() + "\n";
  }
  return text + kExitCodes;
}

std::string HelpFormatter::make_usage(const CLI::App *, std::string) const {
  return "\nUsage: accelc [options] MODEL.onnx [-o PLAN]\n\n" +
         std::string(kExamples) + "\n";
}

std::string
HelpFormatter::make_group(std::string group, bool isPositional,
                          std::vector<const CLI::Option *> options) const {
  std::string text = group + ":\n";
  for (const CLI::Option *option : options) {
    text += make_option(option, isPositional);
  }
  return isPositional ? text + "\n" : text;
}

constexpr size_t indent = 28;

HelpFormatter::HelpFormatter(size_t columns) {
  constexpr size_t narrowest = 60;
  constexpr size_t widest = 100;
  width = std::clamp(columns, narrowest, widest) - indent;
}

/// The words of `text` in lines of at most `width`, all but the first indented.
static std::string wrap(const std::string &text, size_t indent, size_t width) {
  std::istringstream words(text);
  std::string lines;
  size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      lines += " ";
      ++column;
    }
    lines += word;
  }
  return lines;
}

std::string HelpFormatter::make_option(const CLI::Option *option,
                                       bool isPositional) const {
  std::string name = option->get_name(isPositional, !isPositional);
  if (auto found = spellings.find(name); found != spellings.end()) {
    bool isJoined = found->second.back() == '-';
    name =
        found->second + (isJoined ? option->get_type_name() : "") + "," + name;
  }
  std::string type =
      option->get_type_size() == 0 ? "" : option->get_type_name();
  // Of a flag that takes a value, CLI11 adds what it is without one.
  bool takesValue = type.rfind("[=", 0) == 0;
  name = name.substr(0, name.find('{'));
  std::string left = "  " + (isPositional                 ? type
                             : type.empty() || takesValue ? name + type
                                                          : name + " " + type);
  std::string right = option->get_description();
  if (!option->get_default_str().empty()) {
    right += " [" + option->get_default_str() + "]";
  }
  bool fits = left.size() < indent;
  left += fits ? std::string(indent - left.size(), ' ')
               : "\n" + std::string(indent, ' ');
  return left + wrap(right, indent, width) + "\n";
}

} // namespace accel
