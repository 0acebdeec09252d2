// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss and its gradient are those of the exact mean over all valid targets,
// however they are split into microbatches, and the gradient is the derivative
// of the loss.
#include "test/passes/TrainingFixture.h"

namespace accel::test {
namespace {

constexpr int64_t kSamples = 6;
constexpr const char *kParameters[] = {"first", "first_bias", "second"};

/// What a step that changes nothing says about the whole batch.
struct StepResult {
  double loss = 0;
  double tokens = 0;
  std::map<std::string, HostTensor> gradients; ///< of the mean
};

class MeanTest : public TrainingFixture {
protected:
  /// Runs one step over all samples in microbatches of `batch`; `moved` of
  /// @first is changed by `step` before.
  StepResult runStep(int64_t batch, const std::vector<int64_t> &labels,
                     const std::vector<double> &weights, int64_t moved = -1,
                     double step = 0) {
    AccumulateOptions options;
    options.optimizer = "sgd";
    mlir::OwningOpRef<mlir::ModuleOp> module =
        makeStep(makeClassifier(batch), options);
    InterpreterOptions run;
    run.microbatches = kSamples / batch;
    Interpreter interpreter(*module, run);
    EXPECT_TRUE(mlir::succeeded(interpreter.run(getFunction(*module, "init"))));
    if (moved >= 0) {
      HostTensor first = interpreter.getSymbol("first");
      first.mutableFloats()[moved] += step;
      EXPECT_TRUE(mlir::succeeded(interpreter.setSymbol("first", first)));
    }
    HostTensor x = makeNumbers({kSamples, 5}, 3);
    std::vector<HostTensor> inputs, targets, sampleWeights;
    for (int64_t i = 0; i < run.microbatches; ++i) {
      auto rows = x.floats().slice(i * batch * 5, batch * 5);
      auto part = llvm::ArrayRef(labels).slice(i * batch, batch);
      auto weight = llvm::ArrayRef(weights).slice(i * batch, batch);
      mlir::Type f32 = mlir::Float32Type::get(&context);
      inputs.push_back(HostTensor(mlir::RankedTensorType::get({batch, 5}, f32),
                                  std::vector<double>(rows)));
      targets.push_back(makeLabels(std::vector<int64_t>(part)));
      sampleWeights.push_back(
          HostTensor(mlir::RankedTensorType::get({batch}, f32),
                     std::vector<double>(weight)));
    }
    interpreter.setInputs("x", std::move(inputs));
    interpreter.setInputs("labels", std::move(targets));
    interpreter.setInputs("sample_weights", std::move(sampleWeights));
    EXPECT_TRUE(mlir::succeeded(interpreter.run(getFunction(*module, "step"))))
        << diagnostics;
    return collect(interpreter);
  }

  static StepResult collect(const Interpreter &interpreter) {
    StepResult result;
    result.loss = getMetric(interpreter, "loss");
    result.tokens = getMetric(interpreter, "tokens");
    double scale = getMetric(interpreter, "gradient_scale");
    for (const char *name : kParameters) {
      HostTensor gradient = interpreter.getGradient(name);
      for (double &element : gradient.mutableFloats()) {
        element *= scale;
      }
      result.gradients[name] = gradient;
    }
    return result;
  }

  const std::vector<int64_t> labels{0, 2, -100, 1, -100, 2};
  const std::vector<double> ones = std::vector<double>(kSamples, 1.0);
};

TEST_F(MeanTest, IsTheSameInEverySplit) {
  StepResult whole = runStep(6, labels, ones);
  EXPECT_EQ(whole.tokens, 4);
  for (int64_t batch : {1, 2, 3}) {
    StepResult split = runStep(batch, labels, ones);
    EXPECT_NEAR(split.loss, whole.loss, 1e-12) << batch;
    EXPECT_EQ(split.tokens, whole.tokens);
    for (const char *name : kParameters) {
      expectClose(split.gradients[name], whole.gradients[name], 1e-12, name);
    }
  }
}

TEST_F(MeanTest, PaddingOfWeightZeroDoesNotCount) {
  std::vector<int64_t> padded = labels;
  padded[4] = padded[5] = 1;
  StepResult expected = runStep(2, {0, 2, -100, 1, -100, -100}, ones);
  StepResult got = runStep(2, padded, {1, 1, 1, 1, 0, 0});
  EXPECT_EQ(got.tokens, 3);
  EXPECT_NEAR(got.loss, expected.loss, 1e-12);
  expectClose(got.gradients["first"], expected.gradients["first"], 1e-12,
              "first");
}

TEST_F(MeanTest, WithoutAnyTargetIsZero) {
  StepResult result = runStep(3, std::vector<int64_t>(kSamples, -100), ones);
  EXPECT_EQ(result.tokens, 0);
  EXPECT_EQ(result.loss, 0);
  for (double element : result.gradients["second"].floats()) {
    EXPECT_EQ(element, 0);
  }
}

TEST_F(MeanTest, GradientIsTheDerivative) {
  constexpr double kStep = 1e-5;
  StepResult result = runStep(2, labels, ones);
  for (int64_t element : {0, 7, 19}) {
    double up = runStep(2, labels, ones, element, kStep).loss;
    double down = runStep(2, labels, ones, element, -kStep).loss;
    EXPECT_NEAR(result.gradients["first"].floats()[element],
                (up - down) / (2 * kStep), 1e-8)
        << element;
  }
}

} // namespace
} // namespace accel::test
