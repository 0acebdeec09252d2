// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 gives Random123's known answers, and words are addressed as the
// compiler addresses them.
#include "runtime/random/philox.h"

#include <set>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

// The lines "philox4x32 10" of kat_vectors in the Random123 distribution.
TEST(PhiloxTest, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0}, {0, 0, 0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff},
                       {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0xa4093822, 0x299f31d0},
                       {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, IsUsableAtCompileTime) {
  static_assert(Philox4x32({0, 0}, {0, 0, 0, 0})[0] == 0x6627e8d5);
  SUCCEED();
}

TEST(PhiloxTest, TheKeyFoldsTheSeedAndKeepsTheSite) {
  EXPECT_EQ(MakePhiloxKey(0x0123456789abcdef, 7),
            (PhiloxKey{0x01234567 ^ 0x89abcdef, 7}));
}

TEST(PhiloxTest, TheCounterHoldsElementBlockAndSample) {
  EXPECT_EQ(MakePhiloxCounter(0x1122334455667788, 0x99aabbccddeeff00),
            (PhiloxCounter{0x377bbfc0, 0x266aaef3, 0x55667788, 0x11223344}));
}

TEST(PhiloxTest, FourElementsShareABlock) {
  const PhiloxBlock block =
      Philox4x32(MakePhiloxKey(42, 3), MakePhiloxCounter(9, 8));
  for (uint64_t element = 8; element < 12; ++element) {
    EXPECT_EQ(RandomWord(42, 3, 9, element), block[element - 8]);
  }
  EXPECT_NE(RandomWord(42, 3, 9, 12), block[0]);
}

TEST(PhiloxTest, SeedSiteSampleAndElementAllMatter) {
  std::set<uint32_t> words = {RandomWord(1, 1, 1, 1),
                              RandomWord(2, 1, 1, 1),
                              RandomWord(1, 2, 1, 1),
                              RandomWord(1, 1, 2, 1),
                              RandomWord(1, 1, 1, 2),
                              RandomWord(1, 1, uint64_t{1} << 32, 1),
                              RandomWord(1, 1, 1, uint64_t{1} << 40)};
  EXPECT_EQ(words.size(), 7);
}

TEST(PhiloxTest, ScalingStaysInside) {
  EXPECT_EQ(ScaleBelow(0, 10), 0);
  EXPECT_EQ(ScaleBelow(0xffffffff, 10), 9);
  EXPECT_EQ(ScaleBelow(0xffffffff, 1), 0);
  EXPECT_EQ(UnitFloat(0), 0.0f);
  EXPECT_LT(UnitFloat(0xffffffff), 1.0f);
}

}  // namespace
}  // namespace accel::runtime
