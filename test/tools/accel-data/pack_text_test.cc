// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes as tokens.
#include "tools/accel-data/pack_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

TEST(PackTextTest, EveryByteIsAToken) {
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  const std::string a = dir.Write("a.txt", std::string("A\xff"));
  const std::string b = dir.Write("b.txt", std::string("\n\0", 2));
  EXPECT_THAT(tools::PackText(*vfs, {a, b}, dir.File("out.bin")),
              IsOkAndHolds(4u));
  EXPECT_EQ(dir.Read("out.bin"), std::string("A\0\xff\0\n\0\0\0", 8));
}

TEST(PackTextTest, FilesLargerThanABlockAreWhole) {
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  std::string text(3'000'001, 'x');
  text.back() = 'y';
  const std::string path = dir.Write("a.txt", text);
  EXPECT_THAT(tools::PackText(*vfs, {path}, dir.File("out.bin")),
              IsOkAndHolds(text.size()));
  const std::string tokens = dir.Read("out.bin");
  ASSERT_EQ(tokens.size(), 2 * text.size());
  EXPECT_EQ(tokens[tokens.size() - 2], 'y');
}

TEST(PackTextTest, FaultsLeaveNoFile) {
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  const std::string empty = dir.Write("empty.txt", std::string());
  EXPECT_THAT(tools::PackText(*vfs, {empty}, dir.File("out.bin")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "'" + empty + "': expected text, got no byte"));
  EXPECT_FALSE(
      tools::PackText(*vfs, {dir.File("absent")}, dir.File("out.bin")).ok());
  EXPECT_FALSE(vfs->Stat(dir.File("out.bin")).ok());
}

}  // namespace
}  // namespace accel::testing
