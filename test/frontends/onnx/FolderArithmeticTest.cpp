// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits that NumPy 2.4.6 computed on a processor with AVX2, with glibc 2.36,
// many of which are not those of the exactly rounded result.
#include "frontends/onnx/Weights/FolderArithmetic.h"

#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace accel::onnx {
namespace {

struct Case {
  float x;
  uint32_t bits;
};

TEST(FolderArithmetic, ExpHasTheBitsOfNumPy) {
  constexpr Case cases[] = {{0.0f, 0x3f800000},
                            {1.0f, 0x402df855},
                            {-1.0f, 0x3ebc5ab1},
                            {0.5f, 0x3fd3094c},
                            {-0.5f, 0x3f1b4598},
                            {0.1f, 0x3f8d763e},
                            {2.7f, 0x416e1363},
                            {-3.3f, 0x3d1712cf},
                            {10.0f, 0x46ac14ef},
                            {-10.0f, 0x383e6bcc},
                            {50.5f, 0x63e7b298},
                            {88.0f, 0x7ef882b7},
                            {-87.0f, 0xb33687},
                            {1e-8f, 0x3f800000},
                            {-1e-3f, 0x3f7fbe7f},
                            {0.6931472f, 0x40000000},
                            {1.6094379f, 0x40a00001},
                            {-100.5f, 0x10},
                            {-0x1.ff7ceep+1f, 0x3c96a4a0},
                            {-0x1.fef9dcp+1f, 0x3c973f32},
                            {-0x1.fc6a7ep+1f, 0x3c9a4d62},
                            {-0x1.fba5e4p+1f, 0x3c9b3b19}};
  for (const Case &each : cases) {
    EXPECT_EQ(llvm::bit_cast<uint32_t>(computeNumpyExp(each.x)), each.bits)
        << each.x;
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(computeNumpyExp(89.0f), infinity);
  EXPECT_EQ(computeNumpyExp(infinity), infinity);
  EXPECT_EQ(computeNumpyExp(-infinity), 0.0f);
  EXPECT_TRUE(std::isnan(computeNumpyExp(std::nanf(""))));
}

TEST(FolderArithmetic, LogHasTheBitsOfNumPy) {
  constexpr Case cases[] = {{1.0f, 0x0},
                            {2.0f, 0x3f317218},
                            {0.5f, 0xbf317218},
                            {3.0f, 0x3f8c9f54},
                            {0.1f, 0xc0135d8e},
                            {0x1.6a09e6p-1f, 0xbeb17218},
                            {0x1.6a09e8p-1f, 0xbeb17215},
                            {1e10f, 0x41b834f1},
                            {3e38f, 0x42b13196},
                            {1e-40f, 0xc2b834f2},
                            {0x1.411994p+0f, 0x3e68033f},
                            {0x1.5ba278p+0f, 0x3e9ca8b5},
                            {0x1.4b2842p-1f, 0xbedf182c},
                            {0x1.5acee8p-1f, 0xbec77373}};
  for (const Case &each : cases) {
    EXPECT_EQ(llvm::bit_cast<uint32_t>(computeNumpyLog(each.x)), each.bits)
        << each.x;
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(computeNumpyLog(0.0f), -infinity);
  EXPECT_EQ(computeNumpyLog(infinity), infinity);
  EXPECT_TRUE(std::isnan(computeNumpyLog(-1.0f)));
}

TEST(FolderArithmetic, SoftplusHasTheBitsOfNumPyAndGlibc) {
  constexpr Case cases[] = {{0.0f, 0x3f317218},
                            {1.0f, 0x3fa818f6},
                            {-1.0f, 0x3ea063d6},
                            {0.5f, 0x3f795d1c},
                            {-0.5f, 0x3ef2ba38},
                            {0.3f, 0x3f5ab707},
                            {-0.88f, 0x3eb1a6da},
                            {-0.881f, 0x3eb18070},
                            {10.0f, 0x41200030},
                            {-10.0f, 0x383e6ab3},
                            {16.5f, 0x41840000},
                            {-20.5f, 0x30abd1d8},
                            {-87.5f, 0x6cb2bc},
                            {-100.0f, 0x1b},
                            {-104.0f, 0x0},
                            {-0x1.9e00ap+1f, 0x3d1e38b3},
                            {-0x1.367d66p+2f, 0x3bff2a16},
                            {-0x1.0f485p+1f, 0x3de849b7},
                            {-0x1.ee8adep-1f, 0x3ea524d5}};
  for (const Case &each : cases) {
    EXPECT_EQ(llvm::bit_cast<uint32_t>(computeNumpySoftplus(each.x)), each.bits)
        << each.x;
  }
}

/// Exactly rounded functions have other bits, and so has a newer log1pf.
TEST(FolderArithmetic, LibrariesDiffer) {
  llvm::ArrayRef<FolderLibrary> libraries = getFolderLibraries();
  ASSERT_EQ(libraries.size(), 3u);
  auto bits = [](float value) { return llvm::bit_cast<uint32_t>(value); };
  EXPECT_EQ(bits(libraries[0].exp(1.0f)), 0x402df855u);
  EXPECT_EQ(bits(libraries[2].exp(1.0f)), 0x402df854u);
  EXPECT_EQ(bits(libraries[2].exp(-0x1.ff7ceep+1f)), 0x3c96a4a1u);
  EXPECT_EQ(bits(libraries[0].log(0x1.411994p+0f)), 0x3e68033fu);
  EXPECT_EQ(bits(libraries[2].log(0x1.411994p+0f)), 0x3e680340u);
  EXPECT_EQ(bits(libraries[0].softplus(-0x1.90564ep-1f)), 0x3ec0e4aau);
  EXPECT_EQ(bits(libraries[1].softplus(-0x1.90564ep-1f)), 0x3ec0e4abu);
  EXPECT_EQ(bits(libraries[2].softplus(-0x1.90564ep-1f)), 0x3ec0e4abu);
}

/// Numbers whose sum depends on the order of its additions.
std::vector<float> makeNumbers(size_t count) {
  std::vector<float> numbers;
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(state >> 8) / 16777216.0f);
  }
  return numbers;
}

TEST(FolderArithmetic, SumsHaveTheBitsOfNumPy) {
  struct Sum {
    size_t count;
    uint32_t bits;
  };
  constexpr Sum sums[] = {{1, 0x3e722164},    {7, 0x40409e89},
                          {8, 0x40643721},    {9, 0x4065455a},
                          {100, 0x424a8e3c},  {128, 0x427f8f19},
                          {129, 0x4280e755},  {300, 0x431784f9},
                          {1000, 0x43ff89fd}, {4099, 0x44feff1a}};
  for (const Sum &each : sums) {
    EXPECT_EQ(llvm::bit_cast<uint32_t>(sumPairwise(makeNumbers(each.count))),
              each.bits)
        << each.count;
  }
}

void expectBits(llvm::ArrayRef<float> values, llvm::ArrayRef<uint32_t> bits) {
  for (size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(llvm::bit_cast<uint32_t>(values[i]), bits[i]) << i;
  }
}

TEST(FolderArithmetic, NormsHaveTheBitsOfNumPy) {
  constexpr int64_t shape[] = {6, 4, 50};
  std::vector<float> values = makeNumbers(1200);
  std::vector<float> first = computeNorms(values, shape, 0),
                     last = computeNorms(values, shape, 2);
  ASSERT_EQ(first.size(), 6u);
  ASSERT_EQ(last.size(), 50u);
  expectBits(first, {0x4102173f, 0x4106c5ca, 0x410dcac1, 0x40f54bbf, 0x4107152f,
                     0x4104d51f});
  expectBits(last, {0x402dfdcd, 0x403b5b12, 0x402943e9, 0x402e91d7});
  // One number is a sum of all.
  constexpr int64_t single[] = {300, 1};
  expectBits(computeNorms(makeNumbers(300), single, 1), {0x4120499a});
}

} // namespace
} // namespace accel::onnx
