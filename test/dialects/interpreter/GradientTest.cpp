// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every gradient rule of the dialect against central differences in double, on
// the IR itself.
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "passes/Differentiate/ReverseMode.h"
#include "test/dialects/interpreter/IrFixture.h"
#include "test/dialects/interpreter/OpCases.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <regex>

using namespace mlir;

namespace accel::test {
namespace {

constexpr double kDifference = 1e-5;
constexpr double kTolerance = 1e-6;
constexpr int64_t kSeed = 20240229;

bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

class GradientTest : public IrFixture {
protected:
  /// Adds `@gradient` to the module of `@f`: its arguments are those of `@f`
  /// and one gradient per result, its results the gradients of the float
  /// arguments. Null after an error.
  func::FuncOp buildGradient(func::FuncOp function);
  void check(const OpCase &opCase, const std::string &elementType);
};

func::FuncOp GradientTest::buildGradient(func::FuncOp function) {
  func::FuncOp gradient = function.clone();
  gradient.setName("gradient");
  function->getParentOfType<ModuleOp>().push_back(gradient);
  Block &body = gradient.front();
  auto end = cast<func::ReturnOp>(body.getTerminator());
  llvm::SmallVector<Value> outputs(end.getOperands());
  llvm::SmallVector<Value> wrt;
  llvm::copy_if(body.getArguments(), std::back_inserter(wrt),
                [](Value value) { return isFloatTensor(value.getType()); });
  llvm::SmallVector<Value> outputGradients;
  for (Value output : outputs) {
    outputGradients.push_back(
        body.addArgument(output.getType(), output.getLoc()));
  }
  gradient.setType(FunctionType::get(&context, body.getArgumentTypes(),
                                     gradient.getResultTypes()));
  gradient.setAllArgAttrs(ArrayRef<DictionaryAttr>(
      llvm::SmallVector<DictionaryAttr>(body.getNumArguments())));
  OpBuilder builder(end);
  FailureOr<llvm::SmallVector<Value>> gradients =
      differentiate(builder, body, outputs, outputGradients, wrt);
  if (failed(gradients)) {
    return func::FuncOp();
  }
  func::ReturnOp::create(builder, end.getLoc(), *gradients);
  end.erase();
  gradient.setType(FunctionType::get(&context, body.getArgumentTypes(),
                                     ValueRange(*gradients).getTypes()));
  return gradient;
}

/// The sum over all results of weight times element.
double getLoss(ArrayRef<HostTensor> results, ArrayRef<HostTensor> weights) {
  double loss = 0.0;
  for (auto [result, weight] : llvm::zip_equal(results, weights)) {
    for (auto [element, factor] :
         llvm::zip_equal(result.floats(), weight.floats())) {
      loss += element * factor;
    }
  }
  return loss;
}

/// The derivatives of the loss by every element of argument `index`.
std::vector<double> getDifferences(func::FuncOp function,
                                   ArrayRef<HostTensor> arguments,
                                   unsigned index,
                                   ArrayRef<HostTensor> weights) {
  llvm::SmallVector<HostTensor> moved(arguments);
  std::vector<double> differences;
  for (int64_t i = 0; i < arguments[index].getNumElements(); ++i) {
    double at = arguments[index].floats()[i];
    auto getLossAt = [&](double value) {
      moved[index].mutableFloats()[i] = value;
      return getLoss(runFunction(function, moved), weights);
    };
    double above = getLossAt(at + kDifference);
    double below = getLossAt(at - kDifference);
    differences.push_back((above - below) / (2.0 * kDifference));
    moved[index].mutableFloats()[i] = at;
  }
  return differences;
}

void expectNear(ArrayRef<double> analytic, ArrayRef<double> numeric,
                unsigned index) {
  double scale = 1e-3;
  for (double element : numeric) {
    scale = std::max(scale, std::fabs(element));
  }
  for (auto [i, expected] : llvm::enumerate(numeric)) {
    ASSERT_NEAR(analytic[i], expected, kTolerance * scale)
        << "argument #" << index << ", element " << i;
  }
}

/// The arguments of `function` and one weight per element of its results.
llvm::SmallVector<HostTensor> makeInputs(func::FuncOp function) {
  FailureOr<llvm::SmallVector<HostTensor>> inputs =
      makeArguments(function, kSeed);
  EXPECT_TRUE(succeeded(inputs));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    FailureOr<HostTensor> weight =
        makeValue(function.getLoc(), cast<RankedTensorType>(type), {},
                  "weight" + std::to_string(i), kSeed);
    EXPECT_TRUE(succeeded(weight));
    inputs->push_back(*weight);
  }
  return *inputs;
}

void GradientTest::check(const OpCase &opCase, const std::string &elementType) {
  SCOPED_TRACE(opCase.name + " with " + elementType);
  OwningOpRef<ModuleOp> module =
      parse(std::regex_replace(opCase.text, std::regex("f64"), elementType));
  ASSERT_TRUE(module);
  func::FuncOp function = getFunction(*module, "f");
  func::FuncOp gradient = buildGradient(function);
  ASSERT_TRUE(gradient) << diagnostics;
  ASSERT_TRUE(succeeded(verify(*module))) << diagnostics;
  if (elementType == "bf16") {
    // Constants in the rules are rounded to the type: only types are checked.
    return;
  }
  llvm::SmallVector<HostTensor> inputs = makeInputs(function);
  llvm::SmallVector<HostTensor> gradients = runFunction(gradient, inputs);
  auto [arguments, weights] =
      std::pair(ArrayRef(inputs).take_front(function.getNumArguments()),
                ArrayRef(inputs).drop_front(function.getNumArguments()));
  unsigned next = 0;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (argument.isFloat()) {
      ASSERT_LT(next, gradients.size()) << diagnostics;
      expectNear(gradients[next++].floats(),
                 getDifferences(function, arguments, index, weights), index);
    }
  }
}

TEST_F(GradientTest, ElementwiseRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getElementwiseCases()) {
    check(opCase, "f64");
  }
}

TEST_F(GradientTest, ShapeRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getShapeCases()) {
    check(opCase, "f64");
  }
}

TEST_F(GradientTest, ReductionRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getReductionCases()) {
    check(opCase, "f64");
  }
}

TEST_F(GradientTest, LinearRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getLinearCases()) {
    check(opCase, "f64");
  }
}

// Dropout is a function like any other at a fixed seed.
TEST_F(GradientTest, NormalizationLossAndDropoutRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getNormalizationCases()) {
    check(opCase, "f64");
  }
}

TEST_F(GradientTest, AttentionRulesMatchCentralDifferences) {
  for (const OpCase &opCase : getAttentionCases()) {
    check(opCase, "f64");
  }
}

TEST_F(GradientTest, RulesHoldForEveryElementType) {
  for (const OpCase &opCase : getDifferentiableCases()) {
    check(opCase, "f32");
    // Attention of 16 bits has sums of f32; it is made behind the gradients.
    if (opCase.text.find("accel.attention") == std::string::npos) {
      check(opCase, "bf16");
    }
  }
}

// Folders and patterns rewrite the function and its gradient to something else
// that gives the same.
TEST_F(GradientTest, CanonicalizationKeepsValuesAndGradients) {
  for (const OpCase &opCase : getDifferentiableCases()) {
    SCOPED_TRACE(opCase.name);
    OwningOpRef<ModuleOp> module = parse(opCase.text);
    func::FuncOp function = getFunction(*module, "f");
    func::FuncOp gradient = buildGradient(function);
    llvm::SmallVector<HostTensor> inputs = makeInputs(function);
    ArrayRef<HostTensor> arguments =
        ArrayRef(inputs).take_front(function.getNumArguments());
    llvm::SmallVector<HostTensor> before = runFunction(function, arguments);
    llvm::append_range(before, runFunction(gradient, inputs));
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ASSERT_TRUE(succeeded(passes.run(*module))) << diagnostics;
    llvm::SmallVector<HostTensor> after = runFunction(function, arguments);
    llvm::append_range(after, runFunction(gradient, inputs));
    for (auto [expected, got] : llvm::zip_equal(before, after)) {
      for (auto [left, right] :
           llvm::zip_equal(expected.floats(), got.floats())) {
        ASSERT_DOUBLE_EQ(left, right);
      }
    }
  }
}

/// Operations without a gradient, and why.
const llvm::StringMap<std::string> &getNonDifferentiable() {
  static const llvm::StringMap<std::string> operations = {
      {"accel.accumulate", "changes a symbol"},
      {"accel.and", "booleans"},
      {"accel.attention_grad", "second derivatives are refused"},
      {"accel.bitcast", "the bits of a number are no function with a slope"},
      {"accel.bitwise", "the result is an integer"},
      {"accel.bucket", "a declaration"},
      {"accel.compare", "the result is boolean"},
      {"accel.constant", "no operands"},
      {"accel.dequantize", "an optimizer's state"},
      {"accel.gather_nd", "folded away by Import"},
      {"accel.gelu_grad", "second derivatives are refused"},
      {"accel.gradient", "no operands"},
      {"accel.input", "no operands"},
      {"accel.iota", "no operands"},
      {"accel.is_nan", "the result is boolean"},
      {"accel.metric", "no results"},
      {"accel.not", "booleans"},
      {"accel.or", "booleans"},
      {"accel.parameter", "a declaration"},
      {"accel.quantize", "an optimizer's state"},
      {"accel.random_normal", "no float operands"},
      {"accel.read", "no operands"},
      {"accel.repeat", "a loop around the differentiated program"},
      {"accel.state", "a declaration"},
      {"accel.stop_gradient", "the derivative is zero, and not its slope"},
      {"accel.sum_over_ranks", "written by gradient rules"},
      {"accel.update", "changes symbols"},
      {"accel.write", "changes a symbol"},
  };
  return operations;
}

TEST_F(GradientTest, EveryOperationHasACaseOrAReason) {
  llvm::StringSet<> tested;
  for (const OpCase &opCase : getDifferentiableCases()) {
    parse(opCase.text)->walk([&](Operation *op) {
      tested.insert(op->getName().getStringRef());
    });
  }
  ArrayRef<RegisteredOperationName> operations =
      context.getRegisteredOperationsByDialect("accel");
  ASSERT_GT(operations.size(), 50u);
  for (RegisteredOperationName operation : operations) {
    StringRef name = operation.getStringRef();
    EXPECT_TRUE(tested.contains(name) || getNonDifferentiable().contains(name))
        << name.str()
        << " has neither a gradient case in OpCases.h nor a reason in "
           "getNonDifferentiable()";
  }
}

// A case that only prepares operands says nothing about a rule: what is claimed
// to be tested must have a float result that depends on a float argument.
TEST_F(GradientTest, OperationsWithoutAReasonAreOnAPathOfGradients) {
  llvm::StringSet<> onPath;
  for (const OpCase &opCase : getDifferentiableCases()) {
    OwningOpRef<ModuleOp> module = parse(opCase.text);
    llvm::DenseSet<Value> active;
    Block &body = getFunction(*module, "f").front();
    llvm::for_each(body.getArguments(), [&](Value value) {
      if (isFloatTensor(value.getType())) {
        active.insert(value);
      }
    });
    for (Operation &op : body) {
      if (llvm::none_of(op.getOperands(), [&](Value operand) {
            return active.contains(operand);
          })) {
        continue;
      }
      for (Value result : op.getResults()) {
        if (isFloatTensor(result.getType())) {
          active.insert(result);
          onPath.insert(op.getName().getStringRef());
        }
      }
    }
  }
  for (RegisteredOperationName operation :
       context.getRegisteredOperationsByDialect("accel")) {
    StringRef name = operation.getStringRef();
    EXPECT_NE(onPath.contains(name), getNonDifferentiable().contains(name))
        << name.str();
  }
}

} // namespace
} // namespace accel::test
