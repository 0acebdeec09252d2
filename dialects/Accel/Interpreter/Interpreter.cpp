// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: inputs, and the beginning of a run.
#include "dialects/Accel/Interpreter/Interpreter.h"

#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Accel/Interpreter/FunctionRun.h"

#include <numeric>

using namespace mlir;

namespace accel {

Interpreter::Interpreter(ModuleOp module, InterpreterOptions options)
    : options(options), state(module, options.seed) {}

FailureOr<llvm::SmallVector<HostTensor>>
Interpreter::run(func::FuncOp function, ArrayRef<HostTensor> arguments) {
  if (!options.keepGradients) {
    state.clearGradients();
  }
  state.clearChanges();
  metrics.clear();
  return FunctionRun(*this, /*microbatch=*/0, /*depth=*/0)
      .run(function, arguments);
}

HostTensor Interpreter::getInput(StringRef name, int64_t microbatch,
                                 RankedTensorType type) const {
  auto found = inputs.find(name);
  if (found != inputs.end() && !found->second.empty()) {
    return found->second[microbatch % found->second.size()];
  }
  if (inputCallback) {
    if (HostTensor value = inputCallback(name, microbatch, type)) {
      return value;
    }
  }
  if (name == "sample_indices" && type.getElementType().isInteger(64)) {
    HostTensor indices(type);
    MutableArrayRef<int64_t> elements = indices.mutableIntegers();
    std::iota(elements.begin(), elements.end(),
              microbatch * type.getNumElements());
    return indices;
  }
  if (name == "sample_weights") {
    return HostTensor::splat(type, 1.0);
  }
  if (name == kMicrobatchesBehind || name == kIterationsBehind) {
    return HostTensor::splat(type, options.microbatches - 1 - microbatch);
  }
  if (name == kTraining) {
    HostTensor training(type);
    llvm::fill(training.mutableIntegers(), 1);
    return training;
  }
  if (name == "seed" && type.getElementType().isInteger(64)) {
    HostTensor seed(type);
    llvm::fill(seed.mutableIntegers(), options.seed);
    return seed;
  }
  return HostTensor();
}

} // namespace accel
