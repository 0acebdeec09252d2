// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of models whose parameters are named as their authors name them.
#include "passes/Accumulate/NamedBlocks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::test {
namespace {

using testing::ElementsAre;

/// `PREFIX:NUMBERS` of all blocks.
std::vector<std::string> describe(llvm::ArrayRef<llvm::StringRef> names) {
  std::vector<std::string> texts;
  for (const NamedBlocks &blocks : findNamedBlocks(names)) {
    std::string text = blocks.prefix + ":";
    for (int64_t number : blocks.numbers) {
      text += " " + std::to_string(number);
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(NamedBlocksTest, LayersOfTransformers) {
  EXPECT_THAT(
      describe({"transformer.wte.weight", "transformer.h.0.ln_1.weight",
                "transformer.h.1.ln_1.weight", "transformer.h.10.ln_1.weight",
                "transformer.h.2.ln_1.weight", "lm_head.weight"}),
      ElementsAre("transformer.h.: 0 1 2 10"));
  EXPECT_THAT(describe({"vit.encoder.layer.3.output.bias",
                        "vit.encoder.layer.4.output.bias"}),
              ElementsAre("vit.encoder.layer.: 3 4"));
}

TEST(NamedBlocksTest, NumbersInsideOfBlocksMakeNone) {
  // Experts are more than layers, and stages have blocks.
  EXPECT_THAT(describe({"layers.0.experts.0.w", "layers.0.experts.1.w",
                        "layers.0.experts.2.w", "layers.1.experts.0.w",
                        "layers.1.experts.1.w", "layers.1.experts.2.w"}),
              ElementsAre("layers.: 0 1"));
  // What only one stage has begins no row of its own.
  EXPECT_THAT(describe({"layers.0.blocks.0.w", "layers.0.blocks.1.w",
                        "layers.1.blocks.0.w", "layers.1.blocks.1.w",
                        "layers.1.blocks.2.w", "layers.1.blocks.3.w",
                        "layers.1.blocks.4.w"}),
              ElementsAre("layers.: 0 1"));
}

TEST(NamedBlocksTest, NumbersInFrontOfOtherNamesAreNotCounted) {
  EXPECT_THAT(describe({"0.h.0.weight", "0.h.1.weight", "1.bias"}),
              ElementsAre("0.h.: 0 1"));
  EXPECT_THAT(describe({"0.weight", "2.weight", "2.bias", "3.scale"}),
              ElementsAre(": 0 2 3"));
}

TEST(NamedBlocksTest, MostBlocksFirst) {
  EXPECT_THAT(describe({"decoder.0.w", "decoder.1.w", "encoder.0.w",
                        "encoder.1.w", "encoder.2.w"}),
              ElementsAre("encoder.: 0 1 2", "decoder.: 0 1"));
}

TEST(NamedBlocksTest, NoBlocks) {
  EXPECT_THAT(describe({"fc1.weight", "fc2.weight", "layers.0.weight",
                        "layers.1.bias", "h.99999999999999999999.w",
                        "h.99999999999999999998.w", "", "."}),
              ElementsAre());
}

TEST(NamedBlocksTest, FindsTheBlockOfAName) {
  NamedBlocks blocks{"net.", {0, 2, 4}};
  EXPECT_EQ(blocks.find("net.0.weight"), 0u);
  EXPECT_EQ(blocks.find("net.4.experts.2.bias"), 2u);
  EXPECT_EQ(blocks.find("net.1.weight"), std::nullopt);
  EXPECT_EQ(blocks.find("other.net.2.weight"), std::nullopt);
}

} // namespace
} // namespace accel::test
