// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks against whole hashes, however the stream is cut.
#include "runtime/checkpoint/chunk_hashes.h"

#include <vector>

#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using runtime::ChunkHashes;
using runtime::kHashedBytes;
using runtime::Sha256;
using runtime::ToHex;

std::vector<std::byte> Numbered(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(i * 2654435761u >> 24);
  }
  return bytes;
}

TEST(ChunkHashesTest, HashesEachFourMebibytes) {
  const auto bytes = Numbered(2 * kHashedBytes + 1);
  const absl::Span<const std::byte> all = bytes;
  const std::string expected =
      ToHex(Sha256::Of(all.first(kHashedBytes))) +
      ToHex(Sha256::Of(all.subspan(kHashedBytes, kHashedBytes))) +
      ToHex(Sha256::Of(all.last(1)));
  for (const size_t step :
       {size_t{1} << 20, size_t{5} << 20, size_t{999'983}, bytes.size()}) {
    ChunkHashes hashes;
    for (size_t at = 0; at < all.size(); at += step) {
      hashes.Update(all.subspan(at, std::min(step, all.size() - at)));
    }
    EXPECT_EQ(hashes.Finish(), expected) << step;
  }
}

TEST(ChunkHashesTest, OfNothingThereAreNone) {
  EXPECT_EQ(ChunkHashes().Finish(), "");
  EXPECT_EQ(runtime::CountChunks(0), 0u);
  EXPECT_EQ(runtime::CountChunks(1), 1u);
  EXPECT_EQ(runtime::CountChunks(kHashedBytes), 1u);
  EXPECT_EQ(runtime::CountChunks(kHashedBytes + 1), 2u);
}

}  // namespace
}  // namespace accel::testing
