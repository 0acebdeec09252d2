// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the numerical tests of passes have in common: small models as text, the
// pipelines of phases, steps by the interpreter.
#ifndef ACCEL_TEST_PASSES_TRAININGFIXTURE_H
#define ACCEL_TEST_PASSES_TRAININGFIXTURE_H

#include "passes/Accumulate/AccumulatePipeline.h"
#include "passes/Differentiate/DifferentiatePipeline.h"
#include "passes/Import/ImportPipeline.h"
#include "test/dialects/interpreter/IrFixture.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <functional>

namespace accel::test {

class TrainingFixture : public IrFixture {
protected:
  /// A classifier 5-4-3 with tanh, for microbatches of `batch` samples.
  static std::string makeClassifier(int64_t batch) {
    const char *text = R"mlir(
module @classifier attributes {accel.batch = {0} : i64} {{
  accel.parameter @first : tensor<4x5xf32> trainable {{initial = {{kind = "normal", mean = 0.0, deviation = 0.5, site = 1 : i64}}
  accel.parameter @first_bias : tensor<4xf32> trainable {{initial = {{kind = "constant", value = 0.1}}
  accel.parameter @second : tensor<3x4xf32> trainable {{initial = {{kind = "normal", mean = 0.0, deviation = 0.5, site = 2 : i64}}
  accel.parameter @offset : tensor<3xf32> {{initial = {{kind = "constant", value = 0.5}}
  func.func @forward(%x: tensor<{0}x5xf32> {{accel.name = "x"}) -> (tensor<{0}x3xf32> {{accel.name = "logits"}) {{
    %w = accel.read @first : tensor<4x5xf32>
    %h = accel.matmul %x, %w {{transpose_rhs} : tensor<{0}x5xf32>, tensor<4x5xf32> -> tensor<{0}x4xf32>
    %b = accel.read @first_bias : tensor<4xf32>
    %bb = accel.broadcast %b [1] : tensor<4xf32> -> tensor<{0}x4xf32>
    %s = accel.add %h, %bb : tensor<{0}x4xf32>
    %t = accel.tanh %s : tensor<{0}x4xf32>
    %v = accel.read @second : tensor<3x4xf32>
    %m = accel.matmul %t, %v {{transpose_rhs} : tensor<{0}x4xf32>, tensor<3x4xf32> -> tensor<{0}x3xf32>
    %o = accel.read @offset : tensor<3xf32>
    %oo = accel.broadcast %o [1] : tensor<3xf32> -> tensor<{0}x3xf32>
    %y = accel.add %m, %oo : tensor<{0}x3xf32>
    return %y : tensor<{0}x3xf32>
  }
})mlir";
    return llvm::formatv(text, batch);
  }

  /// Runs the pipeline that `build` describes; a test failure if it fails.
  void runPasses(mlir::ModuleOp module,
                 const std::function<void(mlir::OpPassManager &)> &build) {
    mlir::PassManager manager(&context);
    build(manager);
    ASSERT_TRUE(mlir::succeeded(manager.run(module))) << diagnostics;
  }

  /// The module that `text` becomes after Accumulate.
  mlir::OwningOpRef<mlir::ModuleOp>
  makeStep(llvm::StringRef text, const AccumulateOptions &options,
           const DifferentiateOptions &objective = {}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    runPasses(*module, [&](mlir::OpPassManager &manager) {
      buildImportPipeline(manager, ImportOptions());
      buildDifferentiatePipeline(manager, objective);
      buildAccumulatePipeline(manager, options);
    });
    return module;
  }

  /// Numbers in (-1, 1) that look random and are the same everywhere.
  HostTensor makeNumbers(llvm::ArrayRef<int64_t> shape, int64_t seed) {
    auto type =
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context));
    std::vector<double> elements(type.getNumElements());
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] =
          std::sin(12.9898 * double(i + 1) + 78.233 * double(seed + 1));
    }
    return HostTensor(type, elements);
  }

  HostTensor makeLabels(std::vector<int64_t> labels) {
    auto type = getIntegerType({int64_t(labels.size())});
    return HostTensor(type, std::move(labels));
  }

  static double getMetric(const Interpreter &interpreter,
                          llvm::StringRef name) {
    for (const Metric &metric : interpreter.getMetrics()) {
      if (metric.name == name) {
        return metric.value;
      }
    }
    ADD_FAILURE() << "no metric " << name.str();
    return std::nan("");
  }

  /// Expects two float tensors to be equal up to `tolerance`, relative to the
  /// largest element.
  static void expectClose(const HostTensor &got, const HostTensor &expected,
                          double tolerance, const std::string &what) {
    ASSERT_TRUE(bool(got) && bool(expected)) << what;
    ASSERT_EQ(got.getNumElements(), expected.getNumElements()) << what;
    double largest = 0;
    for (double element : expected.floats()) {
      largest = std::max(largest, std::abs(element));
    }
    for (int64_t i = 0; i < got.getNumElements(); ++i) {
      ASSERT_NEAR(got.floats()[i], expected.floats()[i],
                  tolerance * std::max(largest, 1e-30))
          << what << " at " << i;
    }
  }
};

} // namespace accel::test

#endif
