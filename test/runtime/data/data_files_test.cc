// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file behind --data is listed: no output may be one of them.
#include "runtime/data/data_files.h"

#include <string>
#include <vector>

#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;

TEST(ListDataFilesTest, FollowsPatternsIndexesAndBlends) {
  const accel::testing::TempDir dir;
  const auto vfs = MakePosixVfs();
  for (const char* name : {"a-1.bin", "a-2.bin", "b.idx", "b.bin", "c.npy"}) {
    dir.Write(name, std::string("x"));
  }
  const std::string blend = dir.Write(
      "mix.toml", std::string("[[dataset]]\npath = 'a-*.bin'\nweight = 1\n"
                              "[[dataset]]\npath = 'b.idx'\nweight = 1\n"));
  EXPECT_THAT(
      ListDataFiles(*vfs, {"x=" + dir.File("c.npy"), blend, "=bad"}),
      ElementsAre(dir.File("c.npy"), blend, dir.File("a-1.bin"),
                  dir.File("a-2.bin"), dir.File("b.idx"), dir.File("b.bin")));
  EXPECT_THAT(ListDataFiles(*vfs, {dir.File("b.idx") + ":u16"}),
              ElementsAre(dir.File("b.idx")));
}

}  // namespace
}  // namespace accel::runtime
