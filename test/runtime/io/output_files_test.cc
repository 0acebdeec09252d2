// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No output is a file that is read, another output, or what cannot be written.
#include "runtime/io/output_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/output_target.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

class OutputFilesTest : public ::testing::Test {
 protected:
  // The output of the name -o is the file that `other` says.
  void ExpectSameFile(const absl::Status& status, const std::string& path,
                      const std::string& other) {
    EXPECT_THAT(status,
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("-o ", path,
                                      ": expected a file of its own, got the "
                                      "same file as ",
                                      other, "; choose another name")));
  }
  std::string Lost(const std::string& input) {
    return absl::StrCat("model '", input, "', which would be lost");
  }
  absl::Status Output(const std::string& path) {
    return OutputFiles(*vfs_).AddOutput("-o", path);
  }
  void ExpectRefused(const std::string& path, absl::StatusCode code,
                     const std::string& why) {
    EXPECT_THAT(Output(path),
                StatusIs(code, absl::StrCat("-o", path.empty() ? "" : " ", path,
                                            ": ", why)));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(OutputFilesTest, AnOutputThatIsReadIsRefusedUnderAnyName) {
  const std::string model = dir_.Write("model", "weights");
  std::filesystem::create_hard_link(model, dir_.File("hard"));
  std::filesystem::create_symlink("model", dir_.File("soft"));
  std::filesystem::create_directory_symlink(dir_.path(), dir_.File("again"));
  for (const char* name : {"model", "./model", "hard", "soft", "again/model"}) {
    const std::string path = dir_.File(name);
    OutputFiles inputs_first(*vfs_);
    EXPECT_OK(inputs_first.AddInput("model", model));
    ExpectSameFile(inputs_first.AddOutput("-o", path), path, Lost(model));
    // What is read may be known only later.
    OutputFiles outputs_first(*vfs_);
    EXPECT_OK(outputs_first.AddOutput("-o", path));
    ExpectSameFile(outputs_first.AddInput("model", model), path, Lost(model));
  }
  EXPECT_EQ(dir_.Read("model"), "weights");
}

TEST_F(OutputFilesTest, TwoOutputsAreTwoFilesAlsoIfTheyAreNew) {
  std::filesystem::create_directory(dir_.File("sub"));
  std::filesystem::create_symlink("../new", dir_.File("sub/dangling"));
  for (const char* name : {"new", "./new", "sub/../new", "sub/dangling"}) {
    OutputFiles files(*vfs_);
    EXPECT_OK(files.AddOutput("--trace", dir_.File("new")));
    ExpectSameFile(files.AddOutput("-o", dir_.File(name)), dir_.File(name),
                   absl::StrCat("--trace ", dir_.File("new")));
    EXPECT_OK(files.AddOutput("-o", dir_.File("sub/new")));
    EXPECT_OK(files.AddOutput("-o", dir_.File("new2")));
  }
}

TEST_F(OutputFilesTest, AFifoTakesOneOutputAndADeviceAny) {
  const std::string fifo = dir_.File("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  OutputFiles files(*vfs_);
  EXPECT_OK(files.AddOutput("--trace", fifo));
  ExpectSameFile(files.AddOutput("-o", fifo), fifo,
                 absl::StrCat("--trace ", fifo));
  EXPECT_OK(files.AddOutput("--trace", "/dev/null"));
  EXPECT_OK(files.AddOutput("-o", "/dev/null"));
  EXPECT_OK(files.AddInput("model", "/dev/null"));
}

TEST_F(OutputFilesTest, SeveralInputsMayBeOneFileAndOneMayBeMissing) {
  const std::string path = dir_.Write("a", "");
  OutputFiles files(*vfs_);
  EXPECT_OK(files.AddInput("text", path));
  EXPECT_OK(files.AddInput("text", path));
  EXPECT_OK(files.AddInput("text", dir_.File("missing")));
  EXPECT_OK(files.AddOutput("-o", dir_.File("missing")));
}

TEST_F(OutputFilesTest, WhatCannotBeAnOutputIsRefusedWithWhatToDo) {
  const std::string file = dir_.Write("file", "");
  std::filesystem::create_symlink("loop", dir_.File("loop"));
  std::filesystem::create_symlink("no/plan", dir_.File("lost"));
  const auto failed = absl::StatusCode::kFailedPrecondition;
  ExpectRefused("", absl::StatusCode::kInvalidArgument,
                "expected a path, got an empty one");
  ExpectRefused(dir_.path(), failed,
                absl::StrCat("expected a file, got a folder; name a file in "
                             "it, for example ",
                             dir_.File("out")));
  ExpectRefused(dir_.File("new/"), failed,
                absl::StrCat("expected a file, got a folder; name a file in "
                             "it, for example ",
                             dir_.File("new/out")));
  const std::string no_folder = absl::StrCat(
      "expected a file in a folder that exists, got no folder '",
      dir_.File("no"), "'; make it first: mkdir -p ", dir_.File("no"));
  ExpectRefused(dir_.File("no/plan"), absl::StatusCode::kNotFound, no_folder);
  ExpectRefused(dir_.File("lost"), absl::StatusCode::kNotFound, no_folder);
  ExpectRefused(dir_.File("file/plan"), failed,
                absl::StrCat("expected a file in a folder, got a file '", file,
                             "' in place of the folder; choose another path"));
  ExpectRefused(dir_.File("loop"), failed,
                "expected a file, got a link that leads to itself; remove the "
                "link");
}

TEST_F(OutputFilesTest, NamesOfStandardOutputAreKnown) {
  std::filesystem::create_symlink("/proc/self/fd/1", dir_.File("link"));
  for (const std::string& name :
       {std::string("-"), std::string("/dev/stdout"), std::string("/dev/fd/1"),
        std::string("/proc/self/fd/1"), dir_.File("link")}) {
    EXPECT_TRUE(IsStandardOutput(*vfs_, name)) << name;
  }
  for (const std::string& name :
       {std::string("/dev/stderr"), dir_.File("-"), dir_.File("new")}) {
    EXPECT_FALSE(IsStandardOutput(*vfs_, name)) << name;
  }
}

// What a terminal would take as a command is not shown to it.
TEST_F(OutputFilesTest, NamesAreShownHarmlessly) {
  EXPECT_THAT(Output("no\x1b[31m/plan"),
              StatusIs(absl::StatusCode::kNotFound,
                       "-o no\\x1b[31m/plan: expected a file in a folder that "
                       "exists, got no folder 'no\\x1b[31m'; make it first: "
                       "mkdir -p no\\x1b[31m"));
}

}  // namespace
}  // namespace accel::runtime
