// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `accel-opt --run`: the pass, and how values are printed.
#include "tools/accel-opt/RunFunction.h"

#include "tools/accel-opt/RunInputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace accel {
namespace {

void printNumber(llvm::raw_ostream &output, const HostTensor &tensor,
                 int64_t index, int digits) {
  if (tensor.isFloat() && std::isnan(tensor.floats()[index])) {
    output << "nan"; // whatever its sign
  } else if (tensor.isFloat()) {
    output << llvm::format("%.*g", digits, tensor.floats()[index]);
  } else if (tensor.getElementType().isInteger(1)) {
    output << (tensor.integers()[index] ? "true" : "false");
  } else {
    output << tensor.integers()[index];
  }
}

/// The elements in nested brackets, never two of them side by side, which
/// FileCheck would take for a variable. `next` is the next element.
void printElements(llvm::raw_ostream &output, const HostTensor &tensor,
                   ArrayRef<int64_t> shape, int digits, int64_t &next) {
  if (shape.empty()) {
    printNumber(output, tensor, next++, digits);
    return;
  }
  bool nested = shape.size() > 1;
  output << (nested ? "[ " : "[");
  for (int64_t i = 0; i < shape.front(); ++i) {
    output << (i == 0 ? "" : ", ");
    printElements(output, tensor, shape.drop_front(), digits, next);
  }
  output << (nested ? " ]" : "]");
}

void printSummary(llvm::raw_ostream &output, const HostTensor &tensor) {
  double sum = 0.0;
  double squares = 0.0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    double element = tensor.getAsDouble(i);
    sum += element;
    squares += element * element;
    lowest = element < lowest || std::isnan(element) ? element : lowest;
    highest = element > highest || std::isnan(element) ? element : highest;
  }
  output << tensor.getNumElements()
         << llvm::format(" elements, sum %.6g, norm %.6g, min %.6g, max %.6g",
                         sum, std::sqrt(squares), lowest, highest);
}

class RunFunctionPass
    : public PassWrapper<RunFunctionPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunFunctionPass)

  RunFunctionPass(RunOptions options, llvm::raw_ostream &output)
      : options(std::move(options)), output(output) {}

  StringRef getArgument() const override { return "run"; }

  void runOnOperation() override {
    if (options.steps < 1 || options.microbatches < 1) {
      getOperation().emitError()
          << "expected at least one step and one microbatch, got "
          << options.steps << " and " << options.microbatches;
      return signalPassFailure();
    }
    auto function = getOperation().lookupSymbol<func::FuncOp>(options.function);
    if (!function) {
      getOperation().emitError() << "expected a function named '"
                                 << options.function << "' to run, got none";
      return signalPassFailure();
    }
    Interpreter interpreter(getOperation(),
                            {.microbatches = options.microbatches,
                             .seed = options.seed,
                             .roundResults = options.roundResults});
    auto arguments = prepareRun(interpreter, function, options);
    if (failed(arguments)) {
      return signalPassFailure();
    }
    FailureOr<llvm::SmallVector<HostTensor>> results;
    for (int64_t step = 0; step < options.steps; ++step) {
      results = interpreter.run(function, *arguments);
      if (failed(results)) {
        return signalPassFailure();
      }
    }
    print(interpreter, *results);
    markAllAnalysesPreserved();
  }

private:
  void print(const Interpreter &interpreter, ArrayRef<HostTensor> results) {
    for (auto [index, result] : llvm::enumerate(results)) {
      output << "result #" << index;
      printTensor(result);
    }
    for (const Metric &metric : interpreter.getMetrics()) {
      output << "metric \"" << metric.name
             << "\" = " << llvm::format("%.10g", metric.value) << "\n";
    }
    for (Operation *declaration : interpreter.getState().getDeclarations()) {
      StringRef name = SymbolTable::getSymbolName(declaration);
      auto parameter = dyn_cast<ParameterOp>(declaration);
      if (interpreter.getState().isWritten(name)) {
        output << (parameter ? "parameter" : "state") << " @" << name;
        printTensor(interpreter.getSymbol(name));
      }
      if (parameter && interpreter.getState().isAccumulated(name)) {
        output << "gradient @" << name;
        printTensor(interpreter.getGradient(name));
      }
    }
  }

  void printTensor(const HostTensor &tensor) {
    output << ": " << tensor.getType() << " = ";
    if (tensor.getNumElements() <= options.printLimit) {
      int64_t next = 0;
      printElements(output, tensor, tensor.getShape(), options.digits, next);
    } else {
      printSummary(output, tensor);
    }
    output << "\n";
  }

  RunOptions options;
  llvm::raw_ostream &output;
};

} // namespace

LogicalResult runAfterPasses(const RunOptions &options,
                             std::unique_ptr<llvm::MemoryBuffer> input,
                             llvm::raw_ostream &output,
                             DialectRegistry &registry) {
  MlirOptMainConfig passes = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig config = passes;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    if (failed(passes.setupPassPipeline(manager))) {
      return failure();
    }
    manager.addPass(std::make_unique<RunFunctionPass>(options, output));
    return success();
  });
  return MlirOptMain(llvm::nulls(), std::move(input), registry, config);
}

} // namespace accel
