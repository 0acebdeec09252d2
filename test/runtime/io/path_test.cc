// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Path names join and split as a person expects.
#include "runtime/io/path.h"

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(PathTest, JoinsWithOneSlash) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("a", ""), "a");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
}

TEST(PathTest, ParentsEndAtTheRootOrHere) {
  EXPECT_EQ(ParentDirectory("a/b/c"), "a/b");
  EXPECT_EQ(ParentDirectory("a/b/"), "a");
  EXPECT_EQ(ParentDirectory("c"), ".");
  EXPECT_EQ(ParentDirectory("/c"), "/");
  EXPECT_EQ(ParentDirectory("/"), "/");
}

TEST(PathTest, NamesAndStems) {
  EXPECT_EQ(FileName("a/b/c.bin"), "c.bin");
  EXPECT_EQ(FileName("c"), "c");
  EXPECT_EQ(FileName("a/b/"), "b");
  EXPECT_EQ(FileStem("a/c.tar.gz"), "c.tar");
  EXPECT_EQ(FileStem("a/.hidden"), ".hidden");
  EXPECT_EQ(FileStem("plan"), "plan");
}

TEST(PathTest, DescriptorsAreKnownByTheirNames) {
  EXPECT_EQ(DescriptorOfPath("/dev/stdout"), 1);
  EXPECT_EQ(DescriptorOfPath("/dev/stderr"), 2);
  EXPECT_EQ(DescriptorOfPath("/dev/fd/10"), 10);
  EXPECT_EQ(DescriptorOfPath("/proc/self/fd/3"), 3);
  for (const char* other :
       {"", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "/dev/fd/ 1", "/dev/fd/1/2",
        "/dev/null", "fd/1", "/proc/self/fd/99999999999"}) {
    EXPECT_EQ(DescriptorOfPath(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace accel::runtime
