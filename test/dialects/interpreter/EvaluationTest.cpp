// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter knows every operation of the dialect, and what its API
// promises holds.
#include "dialects/Accel/Interpreter/Evaluate.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "test/dialects/interpreter/IrFixture.h"
#include "test/dialects/interpreter/OpCases.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

using EvaluationTest = IrFixture;

/// A step with every operation that is not a pure function of its operands.
constexpr const char *kStep = R"(
accel.parameter @w : tensor<2xf64> trainable {initial = {kind = "constant", value = 1.0}}
accel.bucket @block {granule = 128 : i64, segments = []}
accel.state @lr hyperparameter : tensor<f64> {initial = 0.5 : f64}
accel.state @weight_decay hyperparameter : tensor<f64>
accel.state @momentum hyperparameter : tensor<f64>
accel.state @warmup_steps hyperparameter : tensor<f64>
accel.state @step_count counter : tensor<f64>
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    %x = accel.input "x" : tensor<2xf64>
    %w = accel.read @w : tensor<2xf64>
    %y = accel.mul %x, %w : tensor<2xf64>
    accel.accumulate @w, %y : tensor<2xf64>
  }
  %g = accel.gradient @w : tensor<2xf64>
  %sum = accel.reduce_sum %g [0] : tensor<2xf64> -> tensor<f64>
  accel.metric "sum", %sum : tensor<f64>
  %scale = accel.constant dense<0.5> : tensor<f64>
  accel.update %scale kind "sgd" : tensor<f64>
  accel.write @weight_decay, %scale : tensor<f64>
  return
}
)";

TEST_F(EvaluationTest, EveryOperationOfTheDialectIsKnown) {
  llvm::StringSet<> known;
  std::vector<OpCase> cases = getDifferentiableCases();
  for (const OpCase &opCase : getOtherCases()) {
    cases.push_back(opCase);
  }
  for (const OpCase &opCase : cases) {
    SCOPED_TRACE(opCase.name);
    OwningOpRef<ModuleOp> module = parse(opCase.text);
    ASSERT_TRUE(module);
    func::FuncOp function = getFunction(*module, "f");
    auto arguments = makeArguments(function, /*seed=*/1);
    ASSERT_TRUE(succeeded(arguments));
    auto results = Interpreter(*module).run(function, *arguments);
    ASSERT_TRUE(succeeded(results)) << diagnostics;
    for (auto [result, type] :
         llvm::zip_equal(*results, function.getResultTypes())) {
      EXPECT_EQ(result.getType(), type);
    }
    function.walk(
        [&](Operation *op) { known.insert(op->getName().getStringRef()); });
  }
  OwningOpRef<ModuleOp> step = parse(kStep);
  ASSERT_TRUE(step);
  step->walk(
      [&](Operation *op) { known.insert(op->getName().getStringRef()); });
  for (RegisteredOperationName operation :
       context.getRegisteredOperationsByDialect("accel")) {
    EXPECT_TRUE(known.contains(operation.getStringRef()))
        << operation.getStringRef().str() << " is in no case of OpCases.h";
  }
}

TEST_F(EvaluationTest, AStepAccumulatesUpdatesAndReports) {
  OwningOpRef<ModuleOp> module = parse(kStep);
  ASSERT_TRUE(module);
  Interpreter interpreter(*module, {.microbatches = 3});
  interpreter.setInputCallback(
      [](StringRef name, int64_t microbatch, RankedTensorType type) {
        return name == "x"
                   ? HostTensor::splat(type, static_cast<double>(microbatch))
                   : HostTensor();
      });
  ASSERT_TRUE(succeeded(interpreter.run(getFunction(*module, "step"))))
      << diagnostics;
  // The inputs 0, 1, 2 times the weight 1 make a gradient of 3, the scale 1.5
  // of it, the rate a step of 0.75.
  EXPECT_EQ(interpreter.getGradient("w").floats()[1], 3.0);
  EXPECT_EQ(interpreter.getSymbol("w").floats()[1], 0.25);
  EXPECT_EQ(interpreter.getSymbol("step_count").floats()[0], 1.0);
  ASSERT_EQ(interpreter.getMetrics().size(), 4u);
  EXPECT_EQ(interpreter.getMetrics()[3].name, "finite");
  EXPECT_EQ(interpreter.getMetrics()[3].value, 1.0);
  EXPECT_EQ(interpreter.getMetrics()[0].name, "sum");
  EXPECT_EQ(interpreter.getMetrics()[0].value, 6.0);
  EXPECT_EQ(interpreter.getMetrics()[1].name, "grad_norm");
  EXPECT_DOUBLE_EQ(interpreter.getMetrics()[1].value, 1.5 * std::sqrt(2.0));
  EXPECT_EQ(interpreter.getMetrics()[2].name, "lr");
  EXPECT_EQ(interpreter.getMetrics()[2].value, 0.5);
  // The next step begins with no gradient: 0.25 (0 + 1 + 2).
  ASSERT_TRUE(succeeded(interpreter.run(getFunction(*module, "step"))))
      << diagnostics;
  EXPECT_EQ(interpreter.getGradient("w").floats()[1], 0.75);
}

TEST_F(EvaluationTest, OperandsOfAnotherTypeAreRefused) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> { %y = accel.neg "
            "%x : tensor<2xf64> "
            "return %y : tensor<2xf64> }");
  Operation &negation = getFunction(*module, "f").front().front();
  EXPECT_TRUE(failed(evaluate(&negation, {HostTensor(getFloatType({3}))})));
  EXPECT_TRUE(failed(evaluate(&negation, {HostTensor()})));
  EXPECT_TRUE(failed(evaluate(&negation, {})));
  EXPECT_EQ(diagnostics,
            "'accel.neg' op cannot be evaluated: expected operand #0 of type "
            "'tensor<2xf64>', got 'tensor<3xf64>'\n"
            "'accel.neg' op cannot be evaluated: operand #0 has no value\n"
            "'accel.neg' op cannot be evaluated: expected 1 operands, got 0\n");
}

TEST_F(EvaluationTest, OperationsThatAreNotPureAreRefused) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @f() { %y = accel.input \"x\" : tensor<2xf64> return }");
  EXPECT_TRUE(failed(evaluate(&getFunction(*module, "f").front().front(), {})));
  EXPECT_EQ(diagnostics, "'accel.input' op cannot be evaluated by itself: "
                         "expected a pure operation of the accel dialect\n");
}

TEST_F(EvaluationTest, ResultsBeyondTheLimitAreRefusedBeforeTheyAreAllocated) {
  OwningOpRef<ModuleOp> module = parse(
      "func.func @f(%x: tensor<f32>) { %y = accel.broadcast %x [] : "
      "tensor<f32> -> "
      "tensor<4611686018427387904x4611686018427387904xf32> "
      "%z = accel.constant dense<1.0> : tensor<1000000000000xf32> return }");
  Operation &broadcast = getFunction(*module, "f").front().front();
  EXPECT_TRUE(failed(evaluate(
      &broadcast,
      {HostTensor(RankedTensorType::get({}, Float32Type::get(&context)))})));
  auto constant = cast<ConstantOp>(broadcast.getNextNode());
  EXPECT_TRUE(failed(evaluate(constant, {})));
  EXPECT_FALSE(
      HostTensor::fromAttribute(cast<ElementsAttr>(constant.getValue())));
}

TEST_F(EvaluationTest, AMillionElementsAreNoMatter) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @f() -> tensor<1024x1024xi1> {
      %i = accel.iota 0 : tensor<1024x1024xi64>
      %j = accel.iota 1 : tensor<1024x1024xi64>
      %m = accel.compare ge, %i, %j : tensor<1024x1024xi64> -> tensor<1024x1024xi1>
      return %m : tensor<1024x1024xi1>
    })");
  llvm::SmallVector<HostTensor> results =
      runFunction(getFunction(*module, "f"), {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(llvm::count(results[0].integers(), 1), 1024 * 1025 / 2);
}

TEST_F(EvaluationTest, AttributesSurviveTheWayThroughTensors) {
  for (const char *text :
       {"dense<[1.5, -2.0]> : tensor<2xf32>",
        "dense<[1.5, -2.0]> : tensor<2xf64>",
        "dense<[1.5, -2.0]> : tensor<2xbf16>",
        "dense<[1.5, -2.0]> : tensor<2xf16>",
        "dense<[1.5, -448.0]> : tensor<2xf8E4M3FN>",
        "dense<0.25> : tensor<2xf8E8M0FNU>", "dense<[3, -4]> : tensor<2xi32>",
        "dense<[3, -4]> : tensor<2xi64>",
        "dense<[true, false, true]> : tensor<3xi1>",
        "dense<true> : tensor<3xi1>", "dense<-0.0> : tensor<2x3xf32>",
        "dense<0x7FC00000> : tensor<2xf32>", "dense<7> : tensor<i64>",
        "dense<> : tensor<0x2xf32>"}) {
    auto attribute = cast<ElementsAttr>(parseAttribute(text, &context));
    std::optional<HostTensor> tensor = HostTensor::fromAttribute(attribute);
    ASSERT_TRUE(tensor) << text;
    EXPECT_EQ(tensor->toAttribute(), attribute) << text;
  }
}

TEST_F(EvaluationTest, AttributesAreRoundedToTheNearestAndSplatsAreFound) {
  auto type = RankedTensorType::get({2}, BFloat16Type::get(&context));
  HostTensor tensor(type, std::vector<double>{257.0, 256.0});
  DenseElementsAttr attribute = tensor.toAttribute();
  EXPECT_TRUE(attribute.isSplat());
  EXPECT_EQ(attribute.getSplatValue<llvm::APFloat>().convertToDouble(), 256.0);
  EXPECT_EQ(tensor.rounded().floats()[0], 256.0);
  EXPECT_EQ(tensor.floats()[0], 257.0)
      << "rounding must not change the tensor it starts from";
}

TEST_F(EvaluationTest, CopiesShareElementsUntilOneIsChanged) {
  HostTensor original(getFloatType({2}));
  HostTensor copy = original;
  EXPECT_EQ(copy.floats().data(), original.floats().data());
  copy.mutableFloats()[0] = 1.0;
  EXPECT_EQ(original.floats()[0], 0.0);
  EXPECT_EQ(copy.floats()[0], 1.0);
}

} // namespace
} // namespace accel::test
