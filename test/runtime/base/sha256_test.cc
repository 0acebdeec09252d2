// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digests are those of FIPS 180-4, in one piece or in many.
#include "runtime/base/sha256.h"

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(Sha256Test, GivesThePublishedDigests) {
  Sha256 empty;
  EXPECT_EQ(ToHex(empty.Finish()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 abc;
  abc.Update("abc");
  EXPECT_EQ(ToHex(abc.Finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, PiecesDoNotMatter) {
  Sha256 pieces;
  pieces.Update("a");
  pieces.Update("");
  pieces.Update("bc");
  const std::byte abc[] = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  EXPECT_EQ(pieces.Finish(), Sha256::Of(abc));
}

TEST(Sha256Test, IntegersAreEightLittleEndianBytes) {
  Sha256 integer;
  integer.UpdateInteger(0x0102);
  Sha256 bytes;
  bytes.Update(absl::string_view("\x02\x01\0\0\0\0\0\0", 8));
  EXPECT_EQ(integer.Finish(), bytes.Finish());
}

}  // namespace
}  // namespace accel::runtime
