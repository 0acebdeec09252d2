// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode as such: which operations it touches, how contributions are
// added, what it refuses.
#include "passes/Differentiate/ReverseMode.h"

#include "test/dialects/interpreter/IrFixture.h"

using namespace mlir;

namespace accel::test {
namespace {

class ReverseModeTest : public IrFixture {
protected:
  /// Parses `@f`, whose block ends with a return of the outputs.
  void load(StringRef text) {
    module = parse(text);
    ASSERT_TRUE(module);
    block = &getFunction(*module, "f").front();
  }

  /// Ones as the gradient of every output, the insertion point before the
  /// return.
  OpBuilder begin(llvm::SmallVector<Value> &outputs,
                  llvm::SmallVector<Value> &gradients) {
    OpBuilder builder(block->getTerminator());
    outputs = llvm::SmallVector<Value>(block->getTerminator()->getOperands());
    for (Value output : outputs) {
      auto type = cast<RankedTensorType>(output.getType());
      Attribute one = builder.getFloatAttr(Float64Type::get(&context), 1.0);
      gradients.push_back(ConstantOp::create(
          builder, output.getLoc(), DenseElementsAttr::get(type, one)));
    }
    return builder;
  }

  FailureOr<llvm::SmallVector<Value>> differentiateBy(ArrayRef<Value> wrt) {
    llvm::SmallVector<Value> outputs;
    llvm::SmallVector<Value> gradients;
    OpBuilder builder = begin(outputs, gradients);
    return differentiate(builder, *block, outputs, gradients, wrt);
  }

  int64_t count(StringRef name) {
    return llvm::count_if(*block, [&](Operation &op) {
      return op.getName().getStringRef() == name;
    });
  }

  OwningOpRef<ModuleOp> module;
  Block *block = nullptr;
};

constexpr const char *kTwoUses = R"(
  func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
    %a = accel.mul %x, %y : tensor<2xf64>
    %b = accel.sin %x : tensor<2xf64>
    %c = accel.add %a, %b : tensor<2xf64>
    return %c : tensor<2xf64>
  })";

TEST_F(ReverseModeTest, ContributionsAreAddedInReverseOrderOfTheUses) {
  load(kTwoUses);
  auto gradients = differentiateBy({block->getArgument(0)});
  ASSERT_TRUE(succeeded(gradients)) << diagnostics;
  auto sum = (*gradients)[0].getDefiningOp<AddOp>();
  ASSERT_TRUE(sum);
  // cos x (from the sine, the last use) first, then y.
  auto sine = sum.getLhs().getDefiningOp<MulOp>();
  ASSERT_TRUE(sine);
  EXPECT_TRUE(sine.getLhs().getDefiningOp<CosOp>() ||
              sine.getRhs().getDefiningOp<CosOp>());
  EXPECT_TRUE(sum.getRhs().getDefiningOp<MulOp>());
}

TEST_F(ReverseModeTest, ContributionsStayApartWhereTheyAreAskedFor) {
  load(kTwoUses);
  llvm::SmallVector<Value> outputs;
  llvm::SmallVector<Value> ones;
  OpBuilder builder = begin(outputs, ones);
  auto contributions = differentiateContributions(
      builder, *block, outputs, ones,
      {block->getArgument(0), block->getArgument(1)});
  ASSERT_TRUE(succeeded(contributions)) << diagnostics;
  EXPECT_EQ((*contributions)[0].size(), 2u);
  EXPECT_EQ((*contributions)[1].size(), 1u);
  EXPECT_EQ(count("accel.add"), 1) << "the one of the function";
}

TEST_F(ReverseModeTest, WhatNobodyAskedForIsErasedAgain) {
  load(kTwoUses);
  ASSERT_TRUE(succeeded(differentiateBy({block->getArgument(1)})))
      << diagnostics;
  EXPECT_EQ(count("accel.mul"), 2)
      << "the function's and the gradient of y, not that of x";
  EXPECT_EQ(count("accel.cos"), 0);
}

TEST_F(ReverseModeTest, AValueThatReachesNoOutputGetsZeros) {
  load("func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> { "
       "%z = accel.sin %y : tensor<2xf64> return %x : tensor<2xf64> }");
  auto gradients =
      differentiateBy({block->getArgument(0), block->getArgument(1)});
  ASSERT_TRUE(succeeded(gradients)) << diagnostics;
  auto one = (*gradients)[0].getDefiningOp<ConstantOp>();
  auto zero = (*gradients)[1].getDefiningOp<ConstantOp>();
  ASSERT_TRUE(one && zero);
  EXPECT_EQ(HostTensor::fromAttribute(cast<ElementsAttr>(one.getValue()))
                ->floats()[0],
            1.0);
  EXPECT_EQ(HostTensor::fromAttribute(cast<ElementsAttr>(zero.getValue()))
                ->floats()[0],
            0.0);
}

// A value in the middle counts with all that comes after it; what comes before
// gets on through it.
TEST_F(ReverseModeTest, AnIntermediateValueCanBeDifferentiatedBy) {
  load(R"(
    func.func @f(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
      %a = accel.add %x, %x : tensor<2xf64>
      return %a, %a : tensor<2xf64>, tensor<2xf64>
    })");
  auto gradients =
      differentiateBy({block->getArgument(0), block->front().getResult(0)});
  ASSERT_TRUE(succeeded(gradients)) << diagnostics;
  OpBuilder builder(block->getTerminator());
  func::ReturnOp::create(builder, block->getTerminator()->getLoc(), *gradients);
  block->getTerminator()->erase();
  llvm::SmallVector<HostTensor> values =
      runFunction(getFunction(*module, "f"), {HostTensor(getFloatType({2}))});
  EXPECT_EQ(values[0].floats()[0], 4.0);
  EXPECT_EQ(values[1].floats()[0], 2.0);
}

TEST_F(ReverseModeTest, OperationsOffThePathNeedNoRule) {
  load(R"(
    func.func private @g(%x: tensor<2xf64>) -> tensor<2xf64>
    func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
      %a = func.call @g(%y) : (tensor<2xf64>) -> tensor<2xf64>
      %unused = func.call @g(%x) : (tensor<2xf64>) -> tensor<2xf64>
      %b = accel.mul %a, %x : tensor<2xf64>
      return %b : tensor<2xf64>
    })");
  EXPECT_TRUE(succeeded(differentiateBy({block->getArgument(0)})))
      << diagnostics;
  EXPECT_TRUE(failed(differentiateBy({block->getArgument(1)})));
  EXPECT_EQ(diagnostics, "'func.call' op cannot be differentiated: expected an "
                         "operation with a gradient rule between the "
                         "outputs and the values to differentiate by\n");
}

TEST_F(ReverseModeTest, RulesThatRefuseFailTheWhole) {
  load(R"(
    func.func @f(%x: tensor<3xf64>, %i: tensor<2x1xi64>) -> tensor<2xf64> {
      %y = accel.gather_nd %x, %i batch_dims 0 : tensor<3xf64>, tensor<2x1xi64> -> tensor<2xf64>
      return %y : tensor<2xf64>
    })");
  EXPECT_TRUE(failed(differentiateBy({block->getArgument(0)})));
  EXPECT_NE(diagnostics.find("'accel.gather_nd' op"), std::string::npos)
      << diagnostics;
}

TEST_F(ReverseModeTest, OnlyFloatTensorsAreDifferentiatedBy) {
  load("func.func @f(%x: tensor<2xf64>, %i: tensor<2xi64>) -> tensor<2xf64> { "
       "return %x : tensor<2xf64> }");
  EXPECT_TRUE(failed(differentiateBy({block->getArgument(1)})));
  EXPECT_EQ(diagnostics, "cannot differentiate by this value: expected a float "
                         "tensor, got 'tensor<2xi64>'\n");
}

TEST_F(ReverseModeTest, GradientsHaveTheTypeOfTheirOutputs) {
  load("func.func @f(%x: tensor<2xf64>, %y: tensor<3xf64>) -> tensor<2xf64> { "
       "return %x : tensor<2xf64> }");
  OpBuilder builder(block->getTerminator());
  EXPECT_TRUE(
      failed(differentiate(builder, *block, {block->getArgument(0)},
                           {block->getArgument(1)}, {block->getArgument(0)})));
  EXPECT_EQ(diagnostics, "expected a gradient of its output's type "
                         "'tensor<2xf64>', got 'tensor<3xf64>'\n");
}

} // namespace
} // namespace accel::test
