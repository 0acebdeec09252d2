// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every gradient rule of the dialect promises by its form: null gradients
// stay null, a gradient has its operand's type, integers get none, and what has
// no derivative says so. (That the numbers are right is tested with the
// interpreter.)
#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace mlir;

namespace accel {
namespace {

class GradientRulesTest : public testing::Test {
protected:
  GradientRulesTest() {
    context.loadDialect<AccelDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { diagnostics += diagnostic.str(); });
  }

  /// Parses a function with the arguments `arguments` that ends with `op`, and
  /// builds the gradients of `op` from one argument more for every result whose
  /// bit is set in `given`. Null after an error of the rule.
  func::FuncOp differentiate(const std::string &arguments,
                             const std::string &op, unsigned given = 1) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + op + "\nreturn\n}", &context);
    EXPECT_TRUE(module) << diagnostics;
    auto function = *module->getOps<func::FuncOp>().begin();
    Block &body = function.front();
    differentiated = body.getTerminator()->getPrevNode();
    SmallVector<Value> resultGradients;
    for (OpResult result : differentiated->getResults()) {
      bool isGiven = given >> result.getResultNumber() & 1;
      resultGradients.push_back(
          isGiven ? body.addArgument(result.getType(), result.getLoc())
                  : Value());
    }
    OpBuilder builder(body.getTerminator());
    gradients.assign(differentiated->getNumOperands(), Value());
    auto rule = cast<DifferentiableOpInterface>(differentiated);
    if (failed(rule.buildGradient(builder, resultGradients, gradients))) {
      return func::FuncOp();
    }
    function.setFunctionType(
        FunctionType::get(&context, body.getArgumentTypes(), {}));
    EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
    return function;
  }

  /// Which operands got a gradient, e.g. "101".
  std::string given() const {
    std::string text;
    for (Value gradient : gradients) {
      text += gradient ? '1' : '0';
    }
    return text;
  }

  /// The names of the operations that the rule built.
  std::vector<std::string> built() const {
    std::vector<std::string> names;
    for (Operation *op = differentiated->getNextNode();
         !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      names.push_back(op->getName().getStringRef().str());
    }
    return names;
  }

  MLIRContext context;
  std::string diagnostics;
  OwningOpRef<ModuleOp> module;
  Operation *differentiated = nullptr;
  SmallVector<Value> gradients;
};

struct RuleCase {
  const char *arguments;
  const char *op;
  const char *given; ///< which operands get a gradient
};

const RuleCase kCases[] = {
    {"%x: tensor<2x3xf32>", "%y = accel.tanh %x : tensor<2x3xf32>", "1"},
    {"%x: tensor<3xbf16>", "%y = accel.gelu none, %x : tensor<3xbf16>", "1"},
    {"%x: tensor<3xf16>", "%y = accel.gelu tanh, %x : tensor<3xf16>", "1"},
    {"%x: tensor<3xf32>, %z: tensor<3xf32>",
     "%y = accel.pow %x, %z : tensor<3xf32>", "11"},
    {"%p: tensor<3xi1>, %x: tensor<3xf32>, %z: tensor<3xf32>",
     "%y = accel.select %p, %x, %z : tensor<3xi1>, tensor<3xf32>", "011"},
    {"%x: tensor<3xbf16>",
     "%y = accel.cast %x : tensor<3xbf16> -> "
     "tensor<3xf32>",
     "1"},
    {"%x: tensor<3xi64>", "%y = accel.cast %x : tensor<3xi64> -> tensor<3xf32>",
     "0"},
    {"%x: tensor<1x3xf32>",
     "%y = accel.broadcast %x [0, 2] : tensor<1x3xf32> "
     "-> tensor<4x5x3xf32>",
     "1"},
    {"%t: tensor<9x3xf32>, %i: tensor<4xi64>",
     "%y = accel.gather %t, %i : tensor<9x3xf32>, tensor<4xi64> -> "
     "tensor<4x3xf32>",
     "10"},
    {"%t: tensor<9x3xf32>, %i: tensor<4xi64>",
     "%y = accel.gather %t, %i {padding_row = 2 : i64} : tensor<9x3xf32>, "
     "tensor<4xi64> -> tensor<4x3xf32>",
     "10"},
    {"%i: tensor<4xi64>, %u: tensor<4x3xf32>",
     "%y = accel.scatter_add %i, %u : tensor<4xi64>, tensor<4x3xf32> -> "
     "tensor<9x3xf32>",
     "01"},
    {"%x: tensor<5x3xf32>, %w: tensor<4x3x2xf32>, %i: tensor<5xi64>",
     "%y = accel.grouped_matmul %x, %w, %i : tensor<5x3xf32>, "
     "tensor<4x3x2xf32>, tensor<5xi64> -> tensor<5x2xf32>",
     "110"},
    {"%x: tensor<5x3xf32>, %z: tensor<5x2xf32>, %i: tensor<5xi32>",
     "%y = accel.grouped_outer %x, %z, %i : tensor<5x3xf32>, "
     "tensor<5x2xf32>, tensor<5xi32> -> tensor<4x3x2xf32>",
     "110"},
    {"%x: tensor<2x3xbf16>, %g: tensor<3xbf16>",
     "%y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<2x3xbf16>, "
     "tensor<3xbf16> -> tensor<2x3xbf16>, tensor<2xbf16>, tensor<2xbf16>",
     "11"},
    {"%x: tensor<2x3xf32>, %l: tensor<2xi32>",
     "%y:2 = accel.softmax_cross_entropy %x, %l : tensor<2x3xf32>, "
     "tensor<2xi32> -> tensor<2xf32>, tensor<2xf32>",
     "10"},
    {"%x: tensor<4x3xf32>, %s: tensor<2xi64>, %k: tensor<i64>",
     "%y = accel.dropout %x, %s, %k probability 0.5 site 1 : "
     "tensor<4x3xf32>, tensor<2xi64>, tensor<i64>",
     "100"},
    {"%k: tensor<i64>",
     "%y = accel.random_normal %k mean 0.0 deviation 1.0 "
     "site 1 : tensor<i64> -> tensor<4xf32>",
     "0"},
    {"%q: tensor<2x1x3x4xf32>, %m: tensor<3x3xi1>, %s: tensor<2xi64>, "
     "%k: tensor<i64>",
     "%n = accel.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<1x1x3x3xi1>\n"
     "%y:2 = accel.attention %q, %q, %q mask %n : tensor<1x1x3x3xi1> dropout "
     "%s, %k probability 0.5 site 1 : tensor<2xi64>, tensor<i64> scale 1.0 : "
     "tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32> -> "
     "tensor<2x1x3x4xf32>, tensor<2x1x3xf32>",
     "111000"},
};

TEST_F(GradientRulesTest, AGradientHasItsOperandsTypeAndIntegersHaveNone) {
  for (const RuleCase &rule : kCases) {
    SCOPED_TRACE(rule.op);
    ASSERT_TRUE(differentiate(rule.arguments, rule.op)) << diagnostics;
    EXPECT_EQ(given(), rule.given);
    for (auto [operand, gradient] :
         llvm::zip_equal(differentiated->getOperands(), gradients)) {
      EXPECT_TRUE(!gradient || gradient.getType() == operand.getType());
    }
  }
}

TEST_F(GradientRulesTest, NoGradientOfAResultGivesNone) {
  for (const RuleCase &rule : kCases) {
    SCOPED_TRACE(rule.op);
    ASSERT_TRUE(differentiate(rule.arguments, rule.op, 0)) << diagnostics;
    EXPECT_EQ(given(), std::string(gradients.size(), '0'));
    EXPECT_TRUE(built().empty());
  }
}

TEST_F(GradientRulesTest, MatmulNeedsNoTransposeWhateverItsFlags) {
  const std::vector<std::string> products(2, "accel.matmul");
  for (bool lhs : {false, true}) {
    for (bool rhs : {false, true}) {
      std::string l = lhs ? "tensor<4x3xf32>" : "tensor<3x4xf32>";
      std::string r = rhs ? "tensor<5x4xf32>" : "tensor<4x5xf32>";
      std::string flags = lhs && rhs ? "{transpose_lhs, transpose_rhs}"
                          : lhs      ? "{transpose_lhs}"
                          : rhs      ? "{transpose_rhs}"
                                     : "";
      ASSERT_TRUE(differentiate(
          llvm::formatv("%x: {0}, %w: {1}", l, r),
          llvm::formatv(
              "%y = accel.matmul %x, %w {0} : {1}, {2} -> tensor<3x5xf32>",
              flags, l, r)));
      EXPECT_EQ(given(), "11");
      EXPECT_EQ(built(), products);
    }
  }
}

TEST_F(GradientRulesTest, AGroupedProductGathersNoMatrixWhateverItsFlag) {
  for (const char *flag : {"", "{transpose_weights}"}) {
    std::string weights =
        *flag == 0 ? "tensor<4x3x2xf32>" : "tensor<4x2x3xf32>";
    ASSERT_TRUE(differentiate(
        "%x: tensor<5x3xf32>, %i: tensor<5xi64>, %w: " + weights,
        llvm::formatv("%y = accel.grouped_matmul %x, %w, %i {0} : "
                      "tensor<5x3xf32>, {1}, tensor<5xi64> -> tensor<5x2xf32>",
                      flag, weights)));
    EXPECT_EQ(given(), "110");
    EXPECT_EQ(built(), (std::vector<std::string>{"accel.grouped_matmul",
                                                 "accel.grouped_outer"}));
  }
}

TEST_F(GradientRulesTest, SplitFillsMissingPartsWithZeros) {
  ASSERT_TRUE(differentiate("%x: tensor<6xf32>",
                            "%y:3 = accel.split %x axis 0 : tensor<6xf32> -> "
                            "tensor<1xf32>, tensor<2xf32>, tensor<3xf32>",
                            /*given=*/0b010));
  EXPECT_EQ(built(), (std::vector<std::string>{
                         "accel.constant", "accel.constant", "accel.concat"}));
}

/// What stands before and after the mask in the text of an attention.
const std::string kQuery = "%q: tensor<1x1x3x4xf32>";
const std::string kScaleAndTypes =
    " : tensor<1x1x3x3xf32> scale 1.0 : tensor<1x1x3x4xf32>, "
    "tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32> -> tensor<1x1x3x4xf32>, "
    "tensor<1x1x3xf32>";

TEST_F(GradientRulesTest, AConstantMaskCostsNothing) {
  ASSERT_TRUE(differentiate(
      kQuery, "%m = accel.constant dense<0.0> : tensor<1x1x3x3xf32>\n"
              "%y:2 = accel.attention %q, %q, %q mask %m" +
                  kScaleAndTypes));
  EXPECT_EQ(built(), std::vector<std::string>{"accel.attention_grad"});
}

TEST_F(GradientRulesTest, AConstantBiasCostsNothing) {
  ASSERT_TRUE(differentiate(
      kQuery, "%m = accel.constant dense<0.0> : tensor<1x1x3x3xf32>\n"
              "%y:2 = accel.attention %q, %q, %q bias %m" +
                  kScaleAndTypes));
  EXPECT_EQ(built(), std::vector<std::string>{"accel.attention_grad"});
}

TEST_F(GradientRulesTest, ALearnedBiasHasAGradientWithoutScoresInMemory) {
  ASSERT_TRUE(differentiate(kQuery + ", %m: tensor<1x1x3x3xf32>",
                            "%y:2 = accel.attention %q, %q, %q bias %m" +
                                kScaleAndTypes));
  EXPECT_EQ(given(), "1111");
  EXPECT_EQ(built(), std::vector<std::string>{"accel.attention_grad"});
}

TEST_F(GradientRulesTest, ALearnedMaskHasAGradient) {
  ASSERT_TRUE(differentiate(kQuery + ", %m: tensor<1x1x3x3xf32>",
                            "%y:2 = accel.attention %q, %q, %q mask %m" +
                                kScaleAndTypes));
  EXPECT_EQ(given(), "1111");
}

struct RefusalCase {
  RuleCase rule;
  unsigned given;
  const char *diagnostic;
};

const RefusalCase kRefusals[] = {
    {{"%x: tensor<2x3xf32>, %g: tensor<3xf32>",
      "%y:3 = accel.layer_norm %x, %g epsilon 0.1 : tensor<2x3xf32>, "
      "tensor<3xf32> -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>",
      ""},
     0b010,
     "'accel.layer_norm' op expected a gradient of `result` only, got one of "
     "`mean`: make the objective depend on `result` alone"},
    {{"%x: tensor<2x3xf32>, %l: tensor<2xi64>",
      "%y:2 = accel.softmax_cross_entropy %x, %l : tensor<2x3xf32>, "
      "tensor<2xi64> -> tensor<2xf32>, tensor<2xf32>",
      ""},
     0b11,
     "'accel.softmax_cross_entropy' op expected a gradient of `losses` only, "
     "got one of `lse`: make the objective depend on `losses` alone"},
    {{"%x: tensor<4xf32>, %i: tensor<2x1xi64>",
      "%y = accel.gather_nd %x, %i batch_dims 0 : tensor<4xf32>, "
      "tensor<2x1xi64> -> tensor<2xf32>",
      ""},
     1,
     "'accel.gather_nd' op expected to be folded away by Import, got a "
     "gradient: accel.gather_nd has none; compute `operand` and `indices` from "
     "constants, or take rows with accel.gather"},
    {{"%x: tensor<1x1x2x2xf32>, %l: tensor<1x1x2xf32>",
      "%y:3 = accel.attention_grad %x, %x, %x, %x, %x, %l scale 1.0 : "
      "tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, "
      "tensor<1x1x2x2xf32>, tensor<1x1x2xf32>",
      ""},
     0b100,
     "'accel.attention_grad' op expected no gradient through a gradient, got "
     "one: second derivatives of attention are not supported; make the "
     "objective depend on accel.attention's result instead"},
    {{"%x: tensor<4xf32>",
      "%y = accel.cast %x saturate : tensor<4xf32> -> tensor<4xf8E4M3FN>", ""},
     1,
     "'accel.cast' op expected no 8-bit floats before Differentiate, got a "
     "cast from 'f32' to 'f8E4M3FN', which has no gradient"},
};

TEST_F(GradientRulesTest, WhatHasNoDerivativeSaysSo) {
  for (const RefusalCase &refusal : kRefusals) {
    SCOPED_TRACE(refusal.rule.op);
    diagnostics.clear();
    EXPECT_FALSE(
        differentiate(refusal.rule.arguments, refusal.rule.op, refusal.given));
    EXPECT_EQ(diagnostics, refusal.diagnostic);
    EXPECT_TRUE(built().empty());
  }
}

} // namespace
} // namespace accel
