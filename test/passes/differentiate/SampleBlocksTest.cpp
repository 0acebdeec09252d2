// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SampleBlocks says of values holds for their numbers: another sample j
// changes elements of sample j alone, and some of them.
#include "passes/Differentiate/SampleBlocks.h"
#include "test/dialects/interpreter/IrFixture.h"

#include <cmath>
#include <optional>

namespace accel::test {
namespace {

class SampleBlocksTest : public IrFixture {
protected:
  /// Checks every operation of @forward in `text`, all of whose arguments are
  /// floats with three samples in front. Each that is no constant says in the
  /// attribute `blocks` what is expected of its results, all or each: the size
  /// of blocks, or `mixed`.
  void check(llvm::StringRef text) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    mlir::func::FuncOp forward = getFunction(*module, "forward");
    mlir::Block &body = forward.getBody().front();
    SampleBlocks blocks(body, kBatch);
    llvm::SmallVector<mlir::Value> values;
    for (mlir::Operation &op : body.without_terminator()) {
      mlir::Attribute expected = op.getDiscardableAttr("blocks");
      for (mlir::OpResult result : op.getResults()) {
        if (expected) {
          auto each = mlir::dyn_cast<mlir::ArrayAttr>(expected);
          checkPlace(blocks, result,
                     each ? each[result.getResultNumber()] : expected);
          values.push_back(result);
        }
      }
    }
    returnAll(forward, values);
    checkNumbers(*module, forward, blocks, values);
  }

private:
  static constexpr int64_t kBatch = 3;

  static void checkPlace(const SampleBlocks &blocks, mlir::Value value,
                         mlir::Attribute expected) {
    std::string op = value.getDefiningOp()->getName().getStringRef().str();
    std::optional<int64_t> size = blocks.getBlockSize(value);
    EXPECT_FALSE(blocks.isCommon(value)) << op;
    if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(expected)) {
      EXPECT_EQ(size, number.getInt()) << op;
      EXPECT_EQ(blocks.findMixing(value), nullptr) << op;
    } else {
      EXPECT_EQ(size, std::nullopt) << op;
      EXPECT_NE(blocks.findMixing(value), nullptr) << op;
    }
  }

  static void returnAll(mlir::func::FuncOp forward,
                        llvm::ArrayRef<mlir::Value> values) {
    mlir::Operation *end = forward.getBody().front().getTerminator();
    end->setOperands(values);
    forward.setFunctionType(mlir::FunctionType::get(
        forward.getContext(), forward.getArgumentTypes(),
        mlir::ValueRange(values).getTypes()));
  }

  /// Arguments of which all numbers of sample `changed` are others.
  static llvm::SmallVector<HostTensor> makeArguments(mlir::func::FuncOp forward,
                                                     int64_t changed) {
    llvm::SmallVector<HostTensor> arguments;
    for (mlir::Type type : forward.getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      std::vector<double> numbers(tensor.getNumElements());
      int64_t perSample = tensor.getNumElements() / kBatch;
      for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
        numbers[i] = std::sin(12.9898 * double(i + 1)) +
                     (i / perSample == changed ? 0.5 : 0.0);
      }
      arguments.emplace_back(tensor, numbers);
    }
    return arguments;
  }

  static void checkNumbers(mlir::ModuleOp module, mlir::func::FuncOp forward,
                           const SampleBlocks &blocks,
                           llvm::ArrayRef<mlir::Value> values) {
    Interpreter interpreter(module);
    auto before = interpreter.run(forward, makeArguments(forward, -1));
    ASSERT_TRUE(mlir::succeeded(before));
    std::vector<int> mixed(values.size(), 0);
    for (int64_t sample = 0; sample < kBatch; ++sample) {
      auto after = interpreter.run(forward, makeArguments(forward, sample));
      ASSERT_TRUE(mlir::succeeded(after));
      for (size_t i = 0; i < values.size(); ++i) {
        std::optional<int64_t> size = blocks.getBlockSize(values[i]);
        checkChanges((*before)[i].floats(), (*after)[i].floats(),
                     size.value_or(1), sample, size ? nullptr : &mixed[i],
                     values[i]);
      }
    }
    for (size_t i = 0; i < values.size(); ++i) {
      // What is said to mix does so somewhere.
      EXPECT_EQ(mixed[i] > 0, !blocks.getBlockSize(values[i]))
          << values[i].getDefiningOp()->getName().getStringRef().str();
    }
  }

  /// Counts elements of other samples that have changed in `mixed`, or else
  /// allows none.
  static void checkChanges(llvm::ArrayRef<double> before,
                           llvm::ArrayRef<double> after, int64_t blockSize,
                           int64_t sample, int *mixed, mlir::Value value) {
    std::string op = value.getDefiningOp()->getName().getStringRef().str();
    bool hasChanged = false;
    for (size_t i = 0; i < before.size(); ++i) {
      bool changed = before[i] != after[i];
      bool isOwn = int64_t(i) / blockSize % kBatch == sample;
      hasChanged |= changed;
      if (mixed) {
        *mixed += changed && !isOwn;
      } else {
        EXPECT_TRUE(isOwn || !changed) << op << ", element " << i;
      }
    }
    EXPECT_TRUE(mixed || hasChanged) << op;
  }
};

// nn.MultiheadAttention with positions in front: heads beside samples in one
// dimension, products per head, and samples back in front. There are as many
// positions as samples, so that shapes alone say nothing.
TEST_F(SampleBlocksTest, AreFollowedThroughAttentionWithPositionsInFront) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x3x4xf64>) {
    %w = accel.constant dense<[[1.0, 2.0, 0.5, 3.0], [0.3, 1.1, 0.7, 0.9], [2.1, 0.2, 0.4, 1.3], [0.6, 0.8, 1.9, 0.1]]> : tensor<4x4xf64>
    %t = accel.transpose %x [1, 0, 2] {blocks = 4} : tensor<3x3x4xf64> -> tensor<3x3x4xf64>
    %rows = accel.reshape %t {blocks = 4} : tensor<3x3x4xf64> -> tensor<9x4xf64>
    %p = accel.matmul %rows, %w {blocks = 4} : tensor<9x4xf64>, tensor<4x4xf64> -> tensor<9x4xf64>
    %wide = accel.reshape %p {blocks = 4} : tensor<9x4xf64> -> tensor<3x6x2xf64>
    %heads = accel.transpose %wide [1, 0, 2] {blocks = 12} : tensor<3x6x2xf64> -> tensor<6x3x2xf64>
    %scores = accel.matmul %heads, %heads {transpose_rhs, blocks = 18} : tensor<6x3x2xf64>, tensor<6x3x2xf64> -> tensor<6x3x3xf64>
    %weights = accel.softmax %scores {blocks = 18} : tensor<6x3x3xf64>
    %mixed = accel.matmul %weights, %heads {blocks = 12} : tensor<6x3x3xf64>, tensor<6x3x2xf64> -> tensor<6x3x2xf64>
    %back = accel.transpose %mixed [1, 0, 2] {blocks = 4} : tensor<6x3x2xf64> -> tensor<3x6x2xf64>
    %joined = accel.reshape %back {blocks = 4} : tensor<3x6x2xf64> -> tensor<3x3x4xf64>
    %sum = accel.add %joined, %t {blocks = 4} : tensor<3x3x4xf64>
    %front = accel.transpose %sum [1, 0, 2] {blocks = 12} : tensor<3x3x4xf64> -> tensor<3x3x4xf64>
    %wrong = accel.add %front, %t {blocks = "mixed"} : tensor<3x3x4xf64>
    return
  }
})mlir");
}

// The same as one operation: samples along heads, keys shared by two of them.
TEST_F(SampleBlocksTest, AreFollowedThroughHeadsOfAttention) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x4x5x2xf64>, %y: tensor<3x2x5x2xf64>) {
    %q = accel.reshape %x {blocks = 40} : tensor<3x4x5x2xf64> -> tensor<1x12x5x2xf64>
    %k = accel.reshape %y {blocks = 20} : tensor<3x2x5x2xf64> -> tensor<1x6x5x2xf64>
    %a, %lse = accel.attention %q, %k, %k scale 0.7 causal {blocks = [40, 20]} : tensor<1x12x5x2xf64>, tensor<1x6x5x2xf64>, tensor<1x6x5x2xf64> -> tensor<1x12x5x2xf64>, tensor<1x12x5xf64>
    return
  }
})mlir");
}

// A class token, positions that all samples share, and what sums over them.
TEST_F(SampleBlocksTest, AreKeptBesideWhatAllSamplesShare) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x6x2xf64>) {
    %token = accel.constant dense<0.5> : tensor<1x3x2xf64>
    %scale = accel.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %t = accel.transpose %x [1, 0, 2] {blocks = 2} : tensor<3x6x2xf64> -> tensor<6x3x2xf64>
    %c = accel.concat %token, %t axis 0 {blocks = 2} : tensor<1x3x2xf64>, tensor<6x3x2xf64> -> tensor<7x3x2xf64>
    %n, %mean, %rstd = accel.layer_norm %c, %scale epsilon 1.0e-5 {blocks = [2, 1, 1]} : tensor<7x3x2xf64>, tensor<2xf64> -> tensor<7x3x2xf64>, tensor<7x3xf64>, tensor<7x3xf64>
    return
  }
})mlir");
}

// Two views of each sample behind each other, as siamese models encode them:
// whole rounds of samples may be cut and joined, and nothing else.
TEST_F(SampleBlocksTest, AreCutAndJoinedInWholeRounds) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x4xf64>, %y: tensor<3x4xf64>) {
    %two = accel.concat %x, %y axis 0 {blocks = 4} : tensor<3x4xf64>, tensor<3x4xf64> -> tensor<6x4xf64>
    %h = accel.tanh %two {blocks = 4} : tensor<6x4xf64>
    %a, %b = accel.split %h axis 0 {blocks = 4} : tensor<6x4xf64> -> tensor<3x4xf64>, tensor<3x4xf64>
    %s = accel.slice %h [3, 1] strides [1, 2] {blocks = 2} : tensor<6x4xf64> -> tensor<3x2xf64>
    %padded = accel.pad %s [3, 0] strides [1, 1] {blocks = 2} : tensor<3x2xf64> -> tensor<6x2xf64>
    %cut = accel.slice %h [1, 0] strides [1, 1] {blocks = "mixed"} : tensor<6x4xf64> -> tensor<3x4xf64>
    %c, %d = accel.split %h axis 0 {blocks = "mixed"} : tensor<6x4xf64> -> tensor<2x4xf64>, tensor<4x4xf64>
    %moved = accel.pad %s [1, 0] strides [1, 1] {blocks = "mixed"} : tensor<3x2xf64> -> tensor<6x2xf64>
    return
  }
})mlir");
}

// Windows that move within samples, and over them.
TEST_F(SampleBlocksTest, AreKeptByWindowsWithinSamples) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x7x2xf64>) {
    %w = accel.windows %x axes [1] sizes [3] strides [2] dilations [1] {blocks = 18} : tensor<3x7x2xf64> -> tensor<3x3x2x3xf64>
    %t = accel.tanh %w {blocks = 18} : tensor<3x3x2x3xf64>
    %s = accel.sum_windows %t axes [1] sizes [3] strides [2] dilations [1] {blocks = 14} : tensor<3x3x2x3xf64> -> tensor<3x7x2xf64>
    %over = accel.windows %x axes [0] sizes [2] strides [1] dilations [1] {blocks = "mixed"} : tensor<3x7x2xf64> -> tensor<2x7x2x2xf64>
    %behind = accel.transpose %w [3, 1, 2, 0] {blocks = 1} : tensor<3x3x2x3xf64> -> tensor<3x3x2x3xf64>
    %samples = accel.sum_windows %behind axes [1] sizes [3] strides [2] dilations [1] {blocks = "mixed"} : tensor<3x3x2x3xf64> -> tensor<3x7x2xf64>
    return
  }
})mlir");
}

// Sums over other dimensions and broadcasts of what is left; and over samples.
TEST_F(SampleBlocksTest, AreLostInSumsOverSamplesOnly) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x4x2xf64>) {
    %t = accel.transpose %x [1, 2, 0] {blocks = 1} : tensor<3x4x2xf64> -> tensor<4x2x3xf64>
    %s = accel.reduce_sum %t [0] {blocks = 1} : tensor<4x2x3xf64> -> tensor<2x3xf64>
    %w = accel.broadcast %s [1, 2] {blocks = 1} : tensor<2x3xf64> -> tensor<4x2x3xf64>
    %m = accel.reduce_max %t [0, 1] {blocks = 1} : tensor<4x2x3xf64> -> tensor<3xf64>
    %g = accel.matmul %s, %s {transpose_lhs, blocks = "mixed"} : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<3x3xf64>
    %all = accel.reduce_sum %t [2] {blocks = "mixed"} : tensor<4x2x3xf64> -> tensor<4x2xf64>
    %p = accel.softmax %t {blocks = "mixed"} : tensor<4x2x3xf64>
    return
  }
})mlir");
}

// Rows that choose their matrices stay those of their samples; what is summed
// for each matrix is of all samples.
TEST_F(SampleBlocksTest, AreFollowedThroughRowsOfGroupedProducts) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x2x2xf64>) {
    %w = accel.constant dense<[[[1.0, 2.0], [0.3, 1.1]], [[2.1, 0.2], [0.6, 0.8]]]> : tensor<2x2x2xf64>
    %i = accel.constant dense<[0, 1, 1, 0, 1, 0]> : tensor<6xi64>
    %rows = accel.reshape %x {blocks = 4} : tensor<3x2x2xf64> -> tensor<6x2xf64>
    %y = accel.grouped_matmul %rows, %w, %i {blocks = 4} : tensor<6x2xf64>, tensor<2x2x2xf64>, tensor<6xi64> -> tensor<6x2xf64>
    %t = accel.transpose %rows [1, 0] {blocks = 2} : tensor<6x2xf64> -> tensor<2x6xf64>
    %v = accel.constant dense<0.5> : tensor<2x6x2xf64>
    %j = accel.constant dense<[1, 0]> : tensor<2xi64>
    %mixed = accel.grouped_matmul %t, %v, %j {blocks = "mixed"} : tensor<2x6xf64>, tensor<2x6x2xf64>, tensor<2xi64> -> tensor<2x2xf64>
    %sums = accel.grouped_outer %rows, %rows, %i {blocks = "mixed"} : tensor<6x2xf64>, tensor<6x2xf64>, tensor<6xi64> -> tensor<2x2x2xf64>
    return
  }
})mlir");
}

// Samples as rows of the left side and as columns of the right one.
TEST_F(SampleBlocksTest, AreFollowedToRowsAndColumnsOfProducts) {
  check(R"mlir(
module {
  func.func @forward(%x: tensor<3x2xf64>) {
    %w = accel.constant dense<[[1.0, 2.0], [0.3, 1.1], [2.1, 0.2], [0.6, 0.8]]> : tensor<4x2xf64>
    %rows = accel.matmul %x, %w {transpose_rhs, blocks = 4} : tensor<3x2xf64>, tensor<4x2xf64> -> tensor<3x4xf64>
    %columns = accel.matmul %w, %x {transpose_rhs, blocks = 1} : tensor<4x2xf64>, tensor<3x2xf64> -> tensor<4x3xf64>
    %t = accel.transpose %x [1, 0] {blocks = 1} : tensor<3x2xf64> -> tensor<2x3xf64>
    %again = accel.matmul %t, %w {transpose_lhs, transpose_rhs, blocks = 4} : tensor<2x3xf64>, tensor<4x2xf64> -> tensor<3x4xf64>
    return
  }
})mlir");
}

} // namespace
} // namespace accel::test
