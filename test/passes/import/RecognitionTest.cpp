// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Import recognises computes the same as the arithmetic it replaces:
// @forward by the interpreter, before and after.
#include "test/passes/TrainingFixture.h"

#include "dialects/Accel/IR/AccelOps.h"

namespace accel::test {
namespace {

struct RecognitionCase {
  const char *name;
  /// The operation that must be there afterwards.
  const char *operation;
  const char *body;
  /// What the result must equal, if not the body itself.
  const char *same = "";
};

void PrintTo(const RecognitionCase &recognition, std::ostream *stream) {
  *stream << recognition.name;
}

const RecognitionCase kCases[] = {
    {"LayerNormWithPowAndDivision", "accel.layer_norm", R"mlir(
  func.func @forward(%x: tensor<3x8xf32> {accel.name = "x"}) -> (tensor<3x8xf32> {accel.name = "y"}) {
    %n = accel.constant dense<8.0> : tensor<3x1xf32>
    %two = accel.constant dense<2.0> : tensor<3x8xf32>
    %eps = accel.constant dense<1.0e-5> : tensor<3x1xf32>
    %g = accel.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
    %b = accel.constant dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]> : tensor<8xf32>
    %s = accel.reduce_sum %x [1] : tensor<3x8xf32> -> tensor<3xf32>
    %sk = accel.reshape %s : tensor<3xf32> -> tensor<3x1xf32>
    %mean = accel.div %sk, %n : tensor<3x1xf32>
    %meanb = accel.broadcast %mean [0, 1] : tensor<3x1xf32> -> tensor<3x8xf32>
    %d = accel.sub %x, %meanb : tensor<3x8xf32>
    %sq = accel.pow %d, %two : tensor<3x8xf32>
    %v = accel.reduce_sum %sq [1] : tensor<3x8xf32> -> tensor<3xf32>
    %vk = accel.reshape %v : tensor<3xf32> -> tensor<3x1xf32>
    %var = accel.div %vk, %n : tensor<3x1xf32>
    %ve = accel.add %var, %eps : tensor<3x1xf32>
    %sd = accel.sqrt %ve : tensor<3x1xf32>
    %sdb = accel.broadcast %sd [0, 1] : tensor<3x1xf32> -> tensor<3x8xf32>
    %norm = accel.div %d, %sdb : tensor<3x8xf32>
    %gb = accel.broadcast %g [1] : tensor<8xf32> -> tensor<3x8xf32>
    %scaled = accel.mul %norm, %gb : tensor<3x8xf32>
    %bb = accel.broadcast %b [1] : tensor<8xf32> -> tensor<3x8xf32>
    %y = accel.add %scaled, %bb : tensor<3x8xf32>
    return %y : tensor<3x8xf32>
  })mlir"},
    {"GeluByErf", "accel.gelu", R"mlir(
  func.func @forward(%x: tensor<3x8xf32> {accel.name = "x"}) -> (tensor<3x8xf32> {accel.name = "y"}) {
    %root = accel.constant dense<1.41421354> : tensor<3x8xf32>
    %one = accel.constant dense<1.0> : tensor<3x8xf32>
    %half = accel.constant dense<0.5> : tensor<3x8xf32>
    %u = accel.div %x, %root : tensor<3x8xf32>
    %e = accel.erf %u : tensor<3x8xf32>
    %e1 = accel.add %e, %one : tensor<3x8xf32>
    %h = accel.mul %half, %e1 : tensor<3x8xf32>
    %y = accel.mul %x, %h : tensor<3x8xf32>
    return %y : tensor<3x8xf32>
  })mlir"},
    {"GeluByTanhOfProducts", "accel.gelu", R"mlir(
  func.func @forward(%x: tensor<3x8xf32> {accel.name = "x"}) -> (tensor<3x8xf32> {accel.name = "y"}) {
    %root = accel.constant dense<0.797884583> : tensor<3x8xf32>
    %c = accel.constant dense<0.044715> : tensor<3x8xf32>
    %one = accel.constant dense<1.0> : tensor<3x8xf32>
    %half = accel.constant dense<0.5> : tensor<3x8xf32>
    %xx = accel.mul %x, %x : tensor<3x8xf32>
    %cxx = accel.mul %c, %xx : tensor<3x8xf32>
    %poly = accel.add %one, %cxx : tensor<3x8xf32>
    %rx = accel.mul %root, %x : tensor<3x8xf32>
    %u = accel.mul %rx, %poly : tensor<3x8xf32>
    %t = accel.tanh %u : tensor<3x8xf32>
    %t1 = accel.add %one, %t : tensor<3x8xf32>
    %hx = accel.mul %half, %x : tensor<3x8xf32>
    %y = accel.mul %hx, %t1 : tensor<3x8xf32>
    return %y : tensor<3x8xf32>
  })mlir"},
    {"CausalAttentionWithScaledOperands", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<2x2x5x4xf32> {accel.name = "q"}, %k: tensor<2x2x5x4xf32> {accel.name = "k"}, %v: tensor<2x2x5x4xf32> {accel.name = "v"}) -> (tensor<2x2x5x4xf32> {accel.name = "y"}) {
    %a = accel.constant dense<0.707106769> : tensor<f32>
    %aq = accel.broadcast %a [] : tensor<f32> -> tensor<2x2x5x4xf32>
    %kf = accel.reshape %k : tensor<2x2x5x4xf32> -> tensor<4x5x4xf32>
    %kt = accel.transpose %kf [0, 2, 1] : tensor<4x5x4xf32> -> tensor<4x4x5xf32>
    %k4 = accel.reshape %kt : tensor<4x4x5xf32> -> tensor<2x2x4x5xf32>
    %ak = accel.broadcast %a [] : tensor<f32> -> tensor<2x2x4x5xf32>
    %qs = accel.mul %q, %aq : tensor<2x2x5x4xf32>
    %ks = accel.mul %k4, %ak : tensor<2x2x4x5xf32>
    %s = accel.matmul %qs, %ks : tensor<2x2x5x4xf32>, tensor<2x2x4x5xf32> -> tensor<2x2x5x5xf32>
    %i = accel.iota 2 : tensor<2x1x5x5xi64>
    %j = accel.iota 3 : tensor<2x1x5x5xi64>
    %m = accel.compare le, %j, %i : tensor<2x1x5x5xi64> -> tensor<2x1x5x5xi1>
    %zero = accel.constant dense<0.0> : tensor<2x1x5x5xf32>
    %low = accel.constant dense<-3.40282347E+38> : tensor<2x1x5x5xf32>
    %am = accel.select %m, %zero, %low : tensor<2x1x5x5xi1>, tensor<2x1x5x5xf32>
    %amb = accel.broadcast %am [0, 1, 2, 3] : tensor<2x1x5x5xf32> -> tensor<2x2x5x5xf32>
    %sm = accel.add %s, %amb : tensor<2x2x5x5xf32>
    %p = accel.softmax %sm : tensor<2x2x5x5xf32>
    %y = accel.matmul %p, %v : tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32> -> tensor<2x2x5x4xf32>
    return %y : tensor<2x2x5x4xf32>
  })mlir"},
    {"AttentionWithSelectedMaskAndEmptyRows", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<2x1x3x4xf32> {accel.name = "q"}, %k: tensor<2x1x3x4xf32> {accel.name = "k"}, %v: tensor<2x1x3x4xf32> {accel.name = "v"}) -> (tensor<2x1x3x4xf32> {accel.name = "y"}) {
    %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x3xf32>
    %eight = accel.constant dense<8.0> : tensor<2x1x3x3xf32>
    %sc = accel.div %s, %eight : tensor<2x1x3x3xf32>
    %m = accel.constant dense<[[true, true, true], [false, true, true], [true, false, true]]> : tensor<3x3xi1>
    %mb = accel.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x1x3x3xi1>
    %low = accel.constant dense<0xFF800000> : tensor<2x1x3x3xf32>
    %sm = accel.select %mb, %low, %sc : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
    %p = accel.softmax %sm : tensor<2x1x3x3xf32>
    %nan = accel.is_nan %p : tensor<2x1x3x3xf32> -> tensor<2x1x3x3xi1>
    %zero = accel.constant dense<0.0> : tensor<2x1x3x3xf32>
    %ps = accel.select %nan, %zero, %p : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
    %y = accel.matmul %ps, %v : tensor<2x1x3x3xf32>, tensor<2x1x3x4xf32> -> tensor<2x1x3x4xf32>
    return %y : tensor<2x1x3x4xf32>
  })mlir"},
    {"AttentionWithFiniteMaskOfAWholeRow", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<1x1x2x4xf32> {accel.name = "q"}, %k: tensor<1x1x2x4xf32> {accel.name = "k"}, %v: tensor<1x1x2x4xf32> {accel.name = "v"}) -> (tensor<1x1x2x4xf32> {accel.name = "y"}) {
    %s = accel.matmul %q, %k {transpose_rhs} : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x2xf32>
    %m = accel.constant dense<[[[[-1.0e9, -1.0e9], [0.0, -1.0e9]]]]> : tensor<1x1x2x2xf32>
    %sm = accel.add %m, %s : tensor<1x1x2x2xf32>
    %p = accel.softmax %sm : tensor<1x1x2x2xf32>
    %y = accel.matmul %p, %v : tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>
    return %y : tensor<1x1x2x4xf32>
  })mlir"},
    {"AttentionWithRepeatedKeyHeads", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<2x6x5x4xf32> {accel.name = "q"}, %k: tensor<2x2x5x4xf32> {accel.name = "k"}, %v: tensor<2x2x5x4xf32> {accel.name = "v"}) -> (tensor<2x6x5x4xf32> {accel.name = "y"}) {
    %k1 = accel.reshape %k : tensor<2x2x5x4xf32> -> tensor<2x2x1x5x4xf32>
    %kb = accel.broadcast %k1 [0, 1, 2, 3, 4] : tensor<2x2x1x5x4xf32> -> tensor<2x2x3x5x4xf32>
    %kr = accel.reshape %kb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
    %vb = accel.broadcast %v [0, 1, 3, 4] : tensor<2x2x5x4xf32> -> tensor<2x2x3x5x4xf32>
    %vr = accel.reshape %vb : tensor<2x2x3x5x4xf32> -> tensor<2x6x5x4xf32>
    %kt = accel.transpose %kr [0, 1, 3, 2] : tensor<2x6x5x4xf32> -> tensor<2x6x4x5xf32>
    %half = accel.constant dense<0.5> : tensor<2x6x4x5xf32>
    %ks = accel.mul %kt, %half : tensor<2x6x4x5xf32>
    %s = accel.matmul %q, %ks : tensor<2x6x5x4xf32>, tensor<2x6x4x5xf32> -> tensor<2x6x5x5xf32>
    %p = accel.softmax %s : tensor<2x6x5x5xf32>
    %y = accel.matmul %p, %vr : tensor<2x6x5x5xf32>, tensor<2x6x5x4xf32> -> tensor<2x6x5x4xf32>
    return %y : tensor<2x6x5x4xf32>
  })mlir"},
    {"AttentionWithAMaskOfItsOwn", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<2x2x3x4xf32> {accel.name = "q"}, %k: tensor<2x2x3x4xf32> {accel.name = "k"}, %v: tensor<2x2x3x4xf32> {accel.name = "v"}) -> (tensor<2x2x3x4xf32> {accel.name = "y"}) {
    %m = accel.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
    %mb = accel.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x1x3x3xi1>
    %y, %lse = accel.attention %q, %k, %v mask %mb : tensor<2x1x3x3xi1> scale 0.5 : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
    return %y : tensor<2x2x3x4xf32>
  })mlir"},
    {"AttentionWithDropout", "accel.attention", R"mlir(
  func.func @forward(%q: tensor<2x2x3x4xf32> {accel.name = "q"}, %k: tensor<2x2x3x4xf32> {accel.name = "k"}, %v: tensor<2x2x3x4xf32> {accel.name = "v"}) -> (tensor<2x2x3x4xf32> {accel.name = "y"}) {
    %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
    %p = accel.softmax %s : tensor<2x2x3x3xf32>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    %d = accel.dropout %p, %samples, %seed probability 0.4 site 1 : tensor<2x2x3x3xf32>, tensor<2xi64>, tensor<i64>
    %y = accel.matmul %d, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
    return %y : tensor<2x2x3x4xf32>
  })mlir",
     // Attention counts its elements in another order: 64 columns are 16 blocks
     // of 4 elements that lie 16 apart.
     R"mlir(
  func.func @forward(%q: tensor<2x2x3x4xf32> {accel.name = "q"}, %k: tensor<2x2x3x4xf32> {accel.name = "k"}, %v: tensor<2x2x3x4xf32> {accel.name = "v"}) -> (tensor<2x2x3x4xf32> {accel.name = "y"}) {
    %s = accel.matmul %q, %k {transpose_rhs} : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
    %p = accel.softmax %s : tensor<2x2x3x3xf32>
    %samples = accel.input "sample_indices" : tensor<2xi64>
    %seed = accel.input "seed" : tensor<i64>
    %w = accel.pad %p [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x2x3x3xf32> -> tensor<2x2x3x64xf32>
    %r = accel.reshape %w : tensor<2x2x3x64xf32> -> tensor<2x2x3x4x16xf32>
    %t = accel.transpose %r [0, 1, 2, 4, 3] : tensor<2x2x3x4x16xf32> -> tensor<2x2x3x16x4xf32>
    %d = accel.dropout %t, %samples, %seed probability 0.4 site 1 : tensor<2x2x3x16x4xf32>, tensor<2xi64>, tensor<i64>
    %u = accel.transpose %d [0, 1, 2, 4, 3] : tensor<2x2x3x16x4xf32> -> tensor<2x2x3x4x16xf32>
    %n = accel.reshape %u : tensor<2x2x3x4x16xf32> -> tensor<2x2x3x64xf32>
    %c = accel.slice %n [0, 0, 0, 0] strides [1, 1, 1, 1] : tensor<2x2x3x64xf32> -> tensor<2x2x3x3xf32>
    %y = accel.matmul %c, %v : tensor<2x2x3x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x2x3x4xf32>
    return %y : tensor<2x2x3x4xf32>
  })mlir"},
    {"ProductOfGatheredMatricesAndColumns", "accel.grouped_matmul", R"mlir(
  func.func @forward(%x: tensor<5x3x1xf32> {accel.name = "x"}, %w: tensor<4x2x3xf32> {accel.name = "w"}) -> (tensor<5x2x1xf32> {accel.name = "y"}) {
    %i = accel.constant dense<[3, 0, 3, 1, 0]> : tensor<5xi64>
    %g = accel.gather %w, %i : tensor<4x2x3xf32>, tensor<5xi64> -> tensor<5x2x3xf32>
    %y = accel.matmul %g, %x : tensor<5x2x3xf32>, tensor<5x3x1xf32> -> tensor<5x2x1xf32>
    return %y : tensor<5x2x1xf32>
  })mlir"},
    {"ProductOfGatheredMatricesThatLieTransposedAndColumns",
     "accel.grouped_matmul", R"mlir(
  func.func @forward(%x: tensor<5x3x1xf32> {accel.name = "x"}, %w: tensor<4x3x2xf32> {accel.name = "w"}) -> (tensor<5x2x1xf32> {accel.name = "y"}) {
    %i = accel.constant dense<[3, 0, 3, 1, 0]> : tensor<5xi64>
    %g = accel.gather %w, %i : tensor<4x3x2xf32>, tensor<5xi64> -> tensor<5x3x2xf32>
    %y = accel.matmul %g, %x {transpose_lhs} : tensor<5x3x2xf32>, tensor<5x3x1xf32> -> tensor<5x2x1xf32>
    return %y : tensor<5x2x1xf32>
  })mlir"},
    {"ProductOfRowsAndGatheredMatricesThatLieTransposed",
     "accel.grouped_matmul", R"mlir(
  func.func @forward(%x: tensor<5x1x3xf32> {accel.name = "x"}, %w: tensor<4x2x3xf32> {accel.name = "w"}) -> (tensor<5x1x2xf32> {accel.name = "y"}) {
    %i = accel.constant dense<[3, 0, 3, 1, 0]> : tensor<5xi64>
    %g = accel.gather %w, %i : tensor<4x2x3xf32>, tensor<5xi64> -> tensor<5x2x3xf32>
    %y = accel.matmul %x, %g {transpose_rhs} : tensor<5x1x3xf32>, tensor<5x2x3xf32> -> tensor<5x1x2xf32>
    return %y : tensor<5x1x2xf32>
  })mlir"},
    {"ProductOfRowsThatLieTransposedAndGatheredMatrices",
     "accel.grouped_matmul", R"mlir(
  func.func @forward(%x: tensor<5x3x1xf32> {accel.name = "x"}, %w: tensor<4x3x2xf32> {accel.name = "w"}) -> (tensor<5x1x2xf32> {accel.name = "y"}) {
    %i = accel.constant dense<[3, 0, 3, 1, 0]> : tensor<5xi64>
    %g = accel.gather %w, %i : tensor<4x3x2xf32>, tensor<5xi64> -> tensor<5x3x2xf32>
    %y = accel.matmul %x, %g {transpose_lhs} : tensor<5x3x1xf32>, tensor<5x3x2xf32> -> tensor<5x1x2xf32>
    return %y : tensor<5x1x2xf32>
  })mlir"},
    {"ProductOfMatricesGatheredByTwoDimensions", "accel.grouped_matmul", R"mlir(
  func.func @forward(%x: tensor<3x2x3x1xf32> {accel.name = "x"}, %w: tensor<4x2x3xf32> {accel.name = "w"}) -> (tensor<3x2x2x1xf32> {accel.name = "y"}) {
    %i = accel.constant dense<[[3, 0], [3, 1], [0, 2]]> : tensor<3x2xi64>
    %g = accel.gather %w, %i : tensor<4x2x3xf32>, tensor<3x2xi64> -> tensor<3x2x2x3xf32>
    %y = accel.matmul %g, %x : tensor<3x2x2x3xf32>, tensor<3x2x3x1xf32> -> tensor<3x2x2x1xf32>
    return %y : tensor<3x2x2x1xf32>
  })mlir"},
};

class RecognitionTest : public TrainingFixture,
                        public testing::WithParamInterface<RecognitionCase> {
protected:
  HostTensor runForward(mlir::ModuleOp module) {
    mlir::func::FuncOp forward = getFunction(module, "forward");
    llvm::SmallVector<HostTensor> arguments;
    for (mlir::Type type : forward.getArgumentTypes()) {
      arguments.push_back(
          makeNumbers(mlir::cast<mlir::RankedTensorType>(type).getShape(),
                      arguments.size()));
    }
    Interpreter interpreter(module);
    auto results = interpreter.run(forward, arguments);
    EXPECT_TRUE(mlir::succeeded(results)) << diagnostics;
    return mlir::succeeded(results) ? results->front() : HostTensor();
  }
};

TEST_P(RecognitionTest, KeepsTheValues) {
  const RecognitionCase &each = GetParam();
  mlir::OwningOpRef<mlir::ModuleOp> same =
      parse(each.same[0] == 0 ? each.body : each.same);
  ASSERT_TRUE(same);
  HostTensor expected = runForward(*same);
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(each.body);
  ASSERT_TRUE(module);
  runPasses(*module, [](mlir::OpPassManager &manager) {
    buildImportPipeline(manager, ImportOptions());
  });
  ASSERT_FALSE(HasFatalFailure());
  int64_t recognised = 0;
  module->walk([&](mlir::Operation *op) {
    recognised += op->getName().getStringRef() == GetParam().operation;
  });
  EXPECT_EQ(recognised, 1);
  // The constants of the arithmetic are rounded to f32, those of the recognised
  // operations are not.
  expectClose(runForward(*module), expected, 1e-6, GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Recognitions, RecognitionTest,
                         testing::ValuesIn(kCases), [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
} // namespace accel::test
