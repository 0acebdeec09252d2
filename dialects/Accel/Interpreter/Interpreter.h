// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: runs functions of the `accel` dialect in double, with parameters,
// states, gradients, inputs per microbatch, metrics and the optimizer. Gradient
// rules, kernels and the passes' rewrites are checked against it.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_INTERPRETER_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_INTERPRETER_H

#include "dialects/Accel/Interpreter/HostTensor.h"
#include "dialects/Accel/Interpreter/ProgramState.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace accel {

struct InterpreterOptions {
  /// How often `accel.repeat` runs its body.
  int64_t microbatches = 1;
  /// The built-in input `seed`, and the seed of initial values.
  int64_t seed = 0;
  /// Rounds the floats of every result to its element type instead of keeping
  /// doubles.
  bool roundResults = false;
  /// Leaves the gradients of the previous `run` in place instead of beginning a
  /// step with zero.
  bool keepGradients = false;
  /// The most elements of a tensor.
  int64_t maxElements = kMaxHostElements;
};

/// A value that `accel.metric` reported.
struct Metric {
  std::string name;
  double value;
};

/// Runs functions of one module and holds its symbols between runs.
///
/// Borrows: the module, which must not change while the interpreter lives.
class Interpreter {
public:
  /// What `accel.input` gives for `name`, of `type`, in a microbatch; null if
  /// unknown.
  using InputCallback = std::function<HostTensor(
      llvm::StringRef name, int64_t microbatch, mlir::RankedTensorType type)>;

  explicit Interpreter(mlir::ModuleOp module, InterpreterOptions options = {});

  /// Runs `function` with `arguments` and gives its results, or fails after a
  /// located error. A run is a step: at its beginning the gradients are zero
  /// and there are no metrics; parameters and states keep their values.
  mlir::FailureOr<llvm::SmallVector<HostTensor>>
  run(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments = {});

  /// The value of a parameter or state; null if it is unknown, or a parameter
  /// whose value is in a file and was not set.
  HostTensor getSymbol(llvm::StringRef name) const { return state.read(name); }
  /// Fails without a diagnostic if there is no such parameter or state or it
  /// has another type.
  mlir::LogicalResult setSymbol(llvm::StringRef name, const HostTensor &value) {
    return state.write(name, value);
  }

  /// What the last run accumulated for the trainable parameter `name`: zeros if
  /// nothing, null if there is no such one.
  HostTensor getGradient(llvm::StringRef name) const {
    return state.getGradient(name);
  }

  /// An input for all microbatches. `sample_indices`, `sample_weights` and
  /// `seed` have defaults: consecutive numbers over the microbatches, ones, and
  /// the seed of the options.
  void setInput(llvm::StringRef name, HostTensor value) {
    inputs[name] = {std::move(value)};
  }
  /// One value per microbatch, repeated from the first if there are fewer.
  void setInputs(llvm::StringRef name, std::vector<HostTensor> perMicrobatch) {
    inputs[name] = std::move(perMicrobatch);
  }
  /// Asked for inputs that are not set.
  void setInputCallback(InputCallback callback) {
    inputCallback = std::move(callback);
  }

  /// In the order of execution, those of the optimizer included.
  llvm::ArrayRef<Metric> getMetrics() const { return metrics; }

  /// The declarations in the module's order, and which of them the last run
  /// changed.
  const ProgramState &getState() const { return state; }

private:
  friend class FunctionRun;

  HostTensor getInput(llvm::StringRef name, int64_t microbatch,
                      mlir::RankedTensorType type) const;

  InterpreterOptions options;
  ProgramState state;
  llvm::StringMap<std::vector<HostTensor>> inputs;
  InputCallback inputCallback;
  llvm::SmallVector<Metric> metrics;
};

} // namespace accel

#endif
