// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of whole models with dropout, as the exporters write it and inside
// attention, against central differences of the loss in double. At a fixed seed
// the loss is a smooth function of the parameters.
#include "compiler/Options.h"
#include "compiler/Pipeline.h"
#include "compiler/RegisterAll.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "frontends/onnx/ImportOnnx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace mlir;

namespace accel::test {
namespace {

constexpr double kDifferenceStep = 1e-5;
constexpr double kGradientTolerance = 1e-6;

struct ModelWithDropout {
  const char *name;
  unsigned attentions; ///< with dropout
};

class DropoutGradientTest : public testing::TestWithParam<ModelWithDropout> {
protected:
  DropoutGradientTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerAllAccelDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// The model after Differentiate, with values for inputs and parameters.
  void load();
  HostTensor readParameter(ParameterOp parameter);
  /// The sum of losses where one parameter has another value; what else the run
  /// gives stays in `interpreter`.
  double getLoss(StringRef name = "", const HostTensor &value = {});

  MLIRContext context;
  onnx::ImportedModel model;
  llvm::SmallVector<HostTensor> arguments;
  std::unique_ptr<Interpreter> interpreter;
  int64_t seed = 20240229;
};

void DropoutGradientTest::load() {
  CompilerOptions options;
  options.frontend.dimensions["batch"] = 2;
  auto imported = onnx::importOnnx(std::string(ACCEL_MODELS "/") +
                                       GetParam().name + "/model.onnx",
                                   options.frontend, context);
  ASSERT_TRUE(succeeded(imported));
  model = std::move(*imported);
  for (Phase phase : {Phase::Import, Phase::Differentiate}) {
    ASSERT_TRUE(succeeded(runPhase(*model.module, phase, options)));
  }
  auto made = makeArguments(
      model.module->lookupSymbol<func::FuncOp>("microbatch"), /*seed=*/5);
  ASSERT_TRUE(succeeded(made));
  arguments = *made;
}

HostTensor DropoutGradientTest::readParameter(ParameterOp parameter) {
  auto bytes = model.weights.read(parameter.getSymName());
  if (!bytes) {
    ADD_FAILURE() << llvm::toString(bytes.takeError());
    return {};
  }
  HostTensor value(cast<RankedTensorType>(parameter.getType()));
  const char *data = (*bytes)->getBufferStart();
  for (double &element : value.mutableFloats()) {
    float number = 0.0f;
    memcpy(&number, data, sizeof number);
    data += sizeof number;
    element = number;
  }
  return value;
}

double DropoutGradientTest::getLoss(StringRef name, const HostTensor &value) {
  InterpreterOptions options;
  options.seed = seed;
  interpreter = std::make_unique<Interpreter>(*model.module, options);
  for (auto parameter : model.module->getOps<ParameterOp>()) {
    bool isMoved = parameter.getSymName() == name;
    EXPECT_TRUE(succeeded(interpreter->setSymbol(
        parameter.getSymName(), isMoved ? value : readParameter(parameter))));
  }
  auto function = model.module->lookupSymbol<func::FuncOp>("microbatch");
  EXPECT_TRUE(succeeded(interpreter->run(function, arguments)));
  return interpreter->getSymbol("loss_sum").floats()[0];
}

/// Signs that look random, one for every element.
std::vector<double> makeDirection(int64_t count) {
  std::vector<double> direction(count);
  for (int64_t i = 0; i < count; ++i) {
    direction[i] = std::sin(12.9898 * static_cast<double>(i + 1)) < 0 ? -1 : 1;
  }
  return direction;
}

TEST_P(DropoutGradientTest, MatchesCentralDifferencesAtAFixedSeed) {
  ASSERT_NO_FATAL_FAILURE(load());
  double scale =
      std::ldexp(1.0, -static_cast<int>((*model.module)
                                            ->getAttrOfType<IntegerAttr>(
                                                "accel.gradient_exponent")
                                            .getInt()));
  for (auto parameter : model.module->getOps<ParameterOp>()) {
    StringRef name = parameter.getSymName();
    SCOPED_TRACE(name.str());
    getLoss();
    HostTensor gradient = interpreter->getGradient(name);
    std::vector<double> direction = makeDirection(gradient.getNumElements());
    auto lossAt = [&](double step) {
      HostTensor moved = readParameter(parameter);
      for (auto [x, v] : llvm::zip_equal(moved.mutableFloats(), direction)) {
        x += step * v;
      }
      return getLoss(name, moved);
    };
    double slope = (lossAt(kDifferenceStep) - lossAt(-kDifferenceStep)) /
                   (2.0 * kDifferenceStep) * scale;
    double expected = 0.0;
    double squares = 0.0;
    for (auto [g, v] : llvm::zip_equal(gradient.floats(), direction)) {
      expected += g * v;
      squares += g * g;
    }
    EXPECT_GT(squares, 0.0);
    EXPECT_NEAR(slope, expected, kGradientTolerance * std::sqrt(squares));
  }
}

TEST_P(DropoutGradientTest, DropsInAttentionTooAndBySeed) {
  ASSERT_NO_FATAL_FAILURE(load());
  unsigned attentions = 0;
  model.module->walk([&](AttentionOp op) {
    attentions += op.getProbability().convertToDouble() == 0.1;
  });
  EXPECT_EQ(attentions, GetParam().attentions);
  double loss = getLoss();
  EXPECT_EQ(loss, getLoss());
  ++seed;
  EXPECT_NE(loss, getLoss());
}

INSTANTIATE_TEST_SUITE_P(Models, DropoutGradientTest,
                         testing::Values(ModelWithDropout{"mlp-dropout", 0},
                                         ModelWithDropout{"gpt2-dropout", 2}),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace accel::test
