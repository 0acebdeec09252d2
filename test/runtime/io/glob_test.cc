// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns find what a shell would find.
#include "runtime/io/glob.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GlobTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<std::string>> Find(const std::string& pattern) {
    return Glob(*vfs_, dir_.File(pattern));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(GlobTest, MatchesNamesInByteOrder) {
  const std::string ten = dir_.Write("s-10.bin", "");
  const std::string two = dir_.Write("s-2.bin", "");
  const std::string upper = dir_.Write("S-2.bin", "");
  dir_.Write(".s-3.bin", "");
  dir_.Write("s-2.npy", "");
  EXPECT_THAT(Find("*.bin"), IsOkAndHolds(ElementsAre(upper, ten, two)));
  EXPECT_THAT(Find("s-?.bin"), IsOkAndHolds(ElementsAre(two)));
  EXPECT_THAT(Find("s-[0-1]*.bin"), IsOkAndHolds(ElementsAre(ten)));
  EXPECT_THAT(Find("t*"), IsOkAndHolds(IsEmpty()));
}

TEST_F(GlobTest, MatchesFoldersOnTheWay) {
  for (const std::string name : {"a", "b", "b/deep"}) {
    ASSERT_OK(vfs_->MakeDirectory(dir_.File(name)));
  }
  const std::string first = dir_.Write("a/x.bin", "");
  const std::string second = dir_.Write("b/x.bin", "");
  dir_.Write("b/deep/x.bin", "");
  dir_.Write("c", "a file is no folder");
  EXPECT_THAT(Find("*/x.bin"), IsOkAndHolds(ElementsAre(first, second)));
  EXPECT_THAT(Find("[b]/*.bin"), IsOkAndHolds(ElementsAre(second)));
  EXPECT_THAT(Find("none/*.bin"), IsOkAndHolds(IsEmpty()));
}

TEST_F(GlobTest, ALinkThatLeadsNowhereIsNothing) {
  std::filesystem::create_symlink("nowhere", dir_.File("a.bin"));
  EXPECT_THAT(Find("*.bin"), IsOkAndHolds(IsEmpty()));
}

TEST_F(GlobTest, TwoStarsAreRefused) {
  const std::string pattern = dir_.File("**/*.bin");
  EXPECT_THAT(Find("**/*.bin"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("'", pattern,
                                    "': expected * to stand for a part of one "
                                    "name, got **; write one * for each level "
                                    "of folders, as in 'shards/*/*.bin'")));
}

TEST(HasWildcardTest, KnowsAllThree) {
  EXPECT_TRUE(HasWildcard("a*"));
  EXPECT_TRUE(HasWildcard("a?"));
  EXPECT_TRUE(HasWildcard("[a]"));
  EXPECT_FALSE(HasWildcard("a.bin"));
}

}  // namespace
}  // namespace accel::runtime
