// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `accel-opt --run`.
#include "tools/accel-opt/RunFlags.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

namespace cl = llvm::cl;

namespace accel {

const char *const kOptOverview =
    R"(Accel pass driver: runs passes on textual IR, and functions of it in the interpreter

EXAMPLES:

  accel-opt --verify-roundtrip model.mlir                 reads, verifies and prints
  accel-opt --canonicalize model.mlir                     runs a pass and prints the result
  accel-opt --run=forward model.mlir                      runs @forward in double and prints results, not IR
  accel-opt --canonicalize --run=step --run-microbatches=4 model.mlir    runs @step after the pass

WHAT --run PRINTS (a tensor of more than --run-print-limit elements as a summary):

  result #0: tensor<2x2xf32> = [ [1, 2], [3, 4] ]
  metric "loss" = 1.386294361
  parameter @w: tensor<4096xf32> = 4096 elements, sum 0.1, norm 1.28, min -0.08, max 0.07
  gradient @w: tensor<4096xf32> = 4096 elements, sum 1.5, norm 3.2, min -0.5, max 0.4
  state @step: tensor<f64> = 1

Arguments and inputs are random, a function of --run-seed and their names: floats normal, integers from 0 to 7; the attribute
accel.range = [lowest, highest] on an argument or accel.input makes them uniform, accel.ranges those of columns. Parameters whose weights are in a file are
normal with deviation 0.02. The attribute accel.value = dense<...> on an argument, accel.input, accel.parameter or accel.state
gives its value, and so does --run-inputs, by name.

Options of LLVM's code generators are in --help-hidden.

)";

namespace {

struct Flags {
  // Categories are listed by their names.
  cl::OptionCategory category{"A function in the interpreter (--run)"};
  cl::opt<std::string> function{
      "run",
      cl::desc("Run function @<name> in the interpreter after the passes"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<int64_t> seed{
      "run-seed",
      cl::desc("Seed of random values and of the input \"seed\" (default 0)"),
      cl::init(0), cl::cat(category)};
  cl::opt<int64_t> steps{
      "run-steps",
      cl::desc(
          "How often the function runs; the last run is printed (default 1)"),
      cl::init(1), cl::cat(category)};
  cl::opt<int64_t> microbatches{
      "run-microbatches",
      cl::desc("How often accel.repeat runs its body (default 1)"), cl::init(1),
      cl::cat(category)};
  cl::opt<std::string> inputs{
      "run-inputs", cl::value_desc("file"), cl::cat(category),
      cl::desc("Values by name: one dictionary attribute, {x = dense<1.0> : "
               "tensor<2xf32>}; a list "
               "gives one value per microbatch")};
  cl::opt<int64_t> printLimit{
      "run-print-limit",
      cl::desc("Print tensors of up to this many elements whole (default 64)"),
      cl::init(64), cl::cat(category)};
  cl::opt<int> digits{
      "run-digits",
      cl::desc("Digits of every number; 17 tell a double (default 6)"),
      cl::init(6), cl::cat(category)};
  cl::opt<bool> round{"run-round",
                      cl::desc("Round every result to its element type instead "
                               "of computing in double"),
                      cl::init(false), cl::cat(category)};
};

llvm::ManagedStatic<Flags> flags;

} // namespace

/// What is registered when the program begins are options of LLVM's own passes
/// and targets, some two hundred.
static void hideOptionsOfLibraries() {
  for (auto &[name, option] : cl::getRegisteredOptions()) {
    if (option->getOptionHiddenFlag() == cl::NotHidden && name != "help" &&
        name != "version" && name != "color") {
      option->setHiddenFlag(cl::Hidden);
    }
  }
}

void registerRunFlags() {
  hideOptionsOfLibraries();
  (void)*flags;
}

RunOptions getRunFlags() {
  return {.function = flags->function,
          .seed = flags->seed,
          .steps = flags->steps,
          .microbatches = flags->microbatches,
          .inputFile = flags->inputs,
          .printLimit = flags->printLimit,
          .digits = flags->digits,
          .roundResults = flags->round};
}

} // namespace accel
