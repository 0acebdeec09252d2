// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random words against the published vectors, and what dropout and initial
// values are made of them.
#include "dialects/Accel/Interpreter/Philox.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "dialects/Accel/Interpreter/RandomNormal.h"
#include "test/dialects/interpreter/IrFixture.h"

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

class RandomTest : public IrFixture {
protected:
  /// Ones through dropout at site 3.
  HostTensor drop(ArrayRef<int64_t> shape, ArrayRef<int64_t> samples,
                  double probability, int64_t seed) {
    std::string type;
    llvm::raw_string_ostream(type) << getFloatType(shape);
    std::string samplesType =
        "tensor<" + std::to_string(samples.size()) + "xi64>";
    OwningOpRef<ModuleOp> module =
        parse("func.func @f(%x: " + type + ", %s: " + samplesType +
              ", %seed: tensor<i64>) -> " + type +
              " { %y = accel.dropout %x, %s, %seed probability " +
              std::to_string(probability) + " site 3 : " + type + ", " +
              samplesType + ", tensor<i64> return %y : " + type + " }");
    HostTensor indices(getIntegerType({static_cast<int64_t>(samples.size())}),
                       std::vector<int64_t>(samples.begin(), samples.end()));
    HostTensor seedTensor(getIntegerType({}), std::vector<int64_t>{seed});
    return runFunction(getFunction(*module, "f"),
                       {HostTensor::splat(getFloatType(shape), 1.0), indices,
                        seedTensor})
        .front();
  }
};

// The known-answer vectors of Random123 (kat_vectors: philox4x32, 10 rounds).
TEST_F(RandomTest, PhiloxGivesThePublishedWords) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0},
                   {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_F(RandomTest, BlocksAreAddressedBySeedSiteSampleAndNumber) {
  EXPECT_EQ(getPhiloxBlock(0x123456789abcdef0, 7, 0x500000006, 0x300000002),
            philox({0x9abcdef0 ^ 0x12345678, 7}, {2, 3, 6, 5}));
}

// By hand from the published words of key 0, counter 0: 0x6627e8d5 / 2^32 =
// 0.399, then 0.882, 0.736, 0.606.
TEST_F(RandomTest, AnElementIsKeptIfItsWordReachesTheThreshold) {
  EXPECT_EQ(getDropoutThreshold(0.5), 0x80000000u);
  EXPECT_EQ(getDropoutThreshold(0.1), 429496730u);
  PhiloxWords words =
      getPhiloxBlock(/*seed=*/0, /*site=*/3, /*sample=*/9, /*block=*/0);
  HostTensor result = drop({1, 4}, {9}, 0.25, /*seed=*/0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(result.floats()[i], words[i] >= 0x40000000u ? 1.0 / 0.75 : 0.0);
  }
}

TEST_F(RandomTest, TheKeepRateLiesWithinFourSigma) {
  constexpr int64_t kElements = 1 << 16;
  for (double probability : {0.1, 0.5, 0.9}) {
    for (int64_t seed : {0, 1, 123456789}) {
      HostTensor result =
          drop({4, kElements / 4}, {0, 1, 2, 3}, probability, seed);
      int64_t kept =
          llvm::count_if(result.floats(), [](double x) { return x != 0.0; });
      double sigma = std::sqrt(kElements * probability * (1.0 - probability));
      EXPECT_NEAR(static_cast<double>(kept), kElements * (1.0 - probability),
                  4.0 * sigma)
          << probability << ", seed " << seed;
    }
  }
}

// What a sample's mask is does not depend on the microbatch it comes in.
TEST_F(RandomTest, MasksBelongToSamplesNotToPlaces) {
  HostTensor both = drop({2, 3, 7}, {5, 8}, 0.5, 42);
  HostTensor swapped = drop({2, 3, 7}, {8, 5}, 0.5, 42);
  HostTensor alone = drop({1, 3, 7}, {8}, 0.5, 42);
  HostTensor folded = drop({6, 7}, {5, 8}, 0.5, 42);
  EXPECT_EQ(both.floats().drop_front(21), swapped.floats().take_front(21));
  EXPECT_EQ(both.floats().drop_front(21), alone.floats());
  EXPECT_EQ(both.floats(), folded.floats());
  EXPECT_NE(both.floats(), swapped.floats());
  EXPECT_NE(both.floats(), drop({2, 3, 7}, {5, 8}, 0.5, 43).floats());
}

TEST_F(RandomTest, NormalValuesHaveTheirMomentsAndDoNotDependOnTheShape) {
  HostTensor values =
      makeRandomNormal(getFloatType({1 << 16}), /*seed=*/5, /*site=*/7,
                       /*mean=*/2.0, /*deviation=*/3.0);
  double count = static_cast<double>(values.getNumElements());
  double sum = 0.0;
  double squares = 0.0;
  int64_t outside = 0;
  for (double value : values.floats()) {
    double z = (value - 2.0) / 3.0;
    sum += z;
    squares += z * z;
    outside += std::fabs(z) > 1.959963985;
  }
  EXPECT_NEAR(sum / count, 0.0, 4.0 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0, 4.0 * std::sqrt(2.0 / count));
  EXPECT_NEAR(static_cast<double>(outside), 0.05 * count,
              4.0 * std::sqrt(count * 0.05 * 0.95));
  HostTensor prefix = makeRandomNormal(getFloatType({3, 5}), 5, 7, 2.0, 3.0);
  EXPECT_EQ(prefix.floats(), values.floats().take_front(15));
}

// By hand from the words of key 0, counter 0: z0 = sqrt(-2 ln u1) cos(2 pi u2).
TEST_F(RandomTest, NormalValuesAreBoxAndMullers) {
  HostTensor values =
      makeRandomNormal(getFloatType({2}), /*seed=*/0, /*site=*/0, /*mean=*/0.0,
                       /*deviation=*/1.0);
  double u1 = (0x6627e8d5 + 1.0) / 4294967296.0;
  double u2 = 0xe169c58d / 4294967296.0;
  EXPECT_DOUBLE_EQ(values.floats()[0], std::sqrt(-2.0 * std::log(u1)) *
                                           std::cos(6.283185307179586 * u2));
  double v1 = (0xbc57ac4c + 1.0) / 4294967296.0;
  double v2 = 0x9b00dbd8 / 4294967296.0;
  EXPECT_DOUBLE_EQ(values.floats()[1], std::sqrt(-2.0 * std::log(v1)) *
                                           std::cos(6.283185307179586 * v2));
}

// The vectors of the FNV reference implementation.
TEST_F(RandomTest, SitesAreFnv1aHashes) {
  EXPECT_EQ(getSite(""), 0x811c9dc5u);
  EXPECT_EQ(getSite("a"), 0xe40c292cu);
  EXPECT_EQ(getSite("foobar"), 0xbf9cf968u);
}

} // namespace
} // namespace accel::test
