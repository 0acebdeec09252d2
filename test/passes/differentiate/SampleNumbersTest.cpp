// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are another number for each sample, and those that only look so.
#include "passes/Differentiate/SampleNumbers.h"

#include "passes/Differentiate/SampleBlocks.h"
#include "test/dialects/interpreter/IrFixture.h"

namespace accel::test {
namespace {

class SampleNumbersTest : public IrFixture {};

TEST_F(SampleNumbersTest, ValuesAreToldByTheAxisOfSamples) {
  // Of three samples along dimension `along`, whose neighbours share `inner`
  // indices; `apart` is what is expected.
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(R"(
    module {
      accel.parameter @w : tensor<3x2xf32> trainable
      func.func @forward() -> tensor<3xi64> {
        %numbers = accel.constant dense<[0, 1, 2]> : tensor<3xi64> {along = 0, inner = 1, apart = true}
        %floats = accel.cast %numbers {along = 0, inner = 1, apart = true} : tensor<3xi64> -> tensor<3xf32>
        %rows = accel.broadcast %floats [0] {along = 0, inner = 1, apart = true} : tensor<3xf32> -> tensor<3x3xf32>
        %columns = accel.broadcast %floats [1] {along = 0, inner = 1, apart = false} : tensor<3xf32> -> tensor<3x3xf32>
        %iota = accel.iota 0 {along = 0, inner = 1, apart = true} : tensor<3x2xi64>
        %places = accel.iota 1 {along = 0, inner = 1, apart = false} : tensor<3x2xi64>
        %equal = accel.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<3x2xf32> {along = 0, inner = 1, apart = false}
        %other = accel.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]> : tensor<3x2xf32> {along = 0, inner = 1, apart = true}
        %second = accel.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32> {along = 1, inner = 1, apart = false}
        %halves = accel.constant dense<[true, true, true, false, false, false]> : tensor<6xi1> {along = 0, inner = 1, apart = false}
        %heads = accel.constant dense<[5, 6, 5, 6, 5, 6]> : tensor<6xi64> {along = 0, inner = 2, apart = false}
        %alternate = accel.constant dense<[5, 6, 5, 6, 5, 6]> : tensor<6xi64> {along = 0, inner = 1, apart = true}
        %splat = accel.constant dense<2.0> : tensor<3xf32> {along = 0, inner = 1, apart = false}
        %learned = accel.read @w {along = 0, inner = 1, apart = true} : tensor<3x2xf32>
        %two = accel.constant dense<2> : tensor<3xi64> {along = 0, inner = 1, apart = false}
        %isEven = accel.compare lt, %numbers, %two {along = 0, inner = 1, apart = true} : tensor<3xi64> -> tensor<3xi1>
        %column = accel.reshape %numbers {along = 0, inner = 1, apart = true} : tensor<3xi64> -> tensor<3x1xi64>
        %turned = accel.transpose %iota [1, 0] {along = 1, inner = 1, apart = true} : tensor<3x2xi64> -> tensor<2x3xi64>
        %across = accel.transpose %iota [1, 0] {along = 0, inner = 1, apart = false} : tensor<3x2xi64> -> tensor<2x3xi64>
        %gathered = accel.gather %learned, %numbers {along = 0, inner = 1, apart = true} : tensor<3x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
        %row = accel.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> {along = 0, inner = 1, apart = false}
        %same = accel.broadcast %row [0, 1] {along = 0, inner = 1, apart = false} : tensor<1x2xf32> -> tensor<3x2xf32>
        %first = accel.slice %learned [0, 0] strides [1, 1] {along = 0, inner = 1, apart = true} : tensor<3x2xf32> -> tensor<3x1xf32>
        %behind = accel.concat %same, %learned axis 1 {along = 0, inner = 1, apart = true} : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x4xf32>
        %beside = accel.concat %same, %same axis 1 {along = 0, inner = 1, apart = false} : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x4xf32>
        %sums = accel.reduce_sum %behind [1] {along = 0, inner = 1, apart = true} : tensor<3x4xf32> -> tensor<3xf32>
        %left = accel.matmul %learned, %same {transpose_rhs, along = 0, inner = 1, apart = true} : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x3xf32>
        %right = accel.matmul %same, %learned {transpose_rhs, along = 0, inner = 1, apart = false} : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x3xf32>
        return %numbers : tensor<3xi64>
      }
    }
  )");
  ASSERT_TRUE(module);
  int checked = 0;
  for (mlir::Operation &op :
       getFunction(*module, "forward").getBody().front().without_terminator()) {
    auto number = [&](llvm::StringRef name) {
      return op.getAttrOfType<mlir::IntegerAttr>(name).getInt();
    };
    SampleAxis axis{number("along"), number("inner")};
    EXPECT_EQ(tellsSamplesApart(op.getResult(0), axis, /*batch=*/3),
              op.getAttrOfType<mlir::BoolAttr>("apart").getValue())
        << checked;
    ++checked;
  }
  EXPECT_EQ(checked, 28);
}

TEST_F(SampleNumbersTest, WhatIsCombinedWithThemIsMixed) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(R"(
    module {
      func.func @forward(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3xf32>) {
        %places = accel.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
        %spread = accel.broadcast %places [0, 1] : tensor<3x1xf32> -> tensor<3x2xf32>
        %numbered = accel.mul %x, %spread : tensor<3x2xf32>
        %columns = accel.constant dense<[1.0, 2.0]> : tensor<2xf32>
        %scales = accel.broadcast %columns [1] : tensor<2xf32> -> tensor<3x2xf32>
        %scaled = accel.mul %x, %scales : tensor<3x2xf32>
        %labels = accel.iota 0 : tensor<3xi64>
        %losses, %lse = accel.softmax_cross_entropy %x, %labels : tensor<3x2xf32>, tensor<3xi64> -> tensor<3xf32>, tensor<3xf32>
        %table = accel.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
        %class = accel.slice %x [0, 0] strides [1, 1] : tensor<3x2xf32> -> tensor<3x1xf32>
        %flat = accel.reshape %class : tensor<3x1xf32> -> tensor<3xf32>
        %index = accel.cast %flat : tensor<3xf32> -> tensor<3xi64>
        %chosen = accel.gather %table, %index : tensor<3xf32>, tensor<3xi64> -> tensor<3xf32>
        return %numbered, %losses, %scaled, %chosen : tensor<3x2xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<3xf32>
      }
    }
  )");
  ASSERT_TRUE(module);
  mlir::Block &body = getFunction(*module, "forward").getBody().front();
  SampleBlocks blocks(body, /*batch=*/3);
  mlir::Operation *end = body.getTerminator();
  for (unsigned i : {0u, 1u}) {
    mlir::Value mixed = end->getOperand(i);
    EXPECT_EQ(blocks.getBlockSize(mixed), std::nullopt) << i;
    EXPECT_EQ(blocks.findMixing(mixed), mixed.getDefiningOp()) << i;
  }
  EXPECT_EQ(blocks.getBlockSize(end->getOperand(2)), 2);
  // A table of as many rows as there are samples is chosen from.
  EXPECT_EQ(blocks.getBlockSize(end->getOperand(3)), 1);
}

} // namespace
} // namespace accel::test
