// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blends are read as they are written; everything else is refused with its
// line.
#include "runtime/data/blend_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kForm[] = "[[dataset]] with path, weight and, if wanted, epochs";

class BlendFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<BlendEntry>> Read(const std::string& text) {
    return ReadBlendFile(*vfs_, dir_.Write("mix.toml", text));
  }

  void ExpectRefused(const std::string& text, const std::string& message) {
    EXPECT_THAT(Read(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr(message)))
        << text;
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(BlendFileTest, ReadsPathsWeightsAndEpochs) {
  ASSERT_OK_AND_ASSIGN(const auto entries, Read(R"(# a comment
[[dataset]]
path = "web-*.bin"
weight = 0.7
epochs = 2

[[dataset]]
path = ["x=a/x.npy", "y=/b/y.npy"]
weight = 3

[[dataset]]
path = "books.bin:u32"
weight = 1e-3
)"));
  ASSERT_EQ(entries.size(), 3);
  EXPECT_THAT(entries[0].data, ElementsAre(dir_.File("web-*.bin")));
  EXPECT_EQ(entries[0].name, "'web-*.bin'");
  EXPECT_EQ(entries[0].weight, 0.7);
  EXPECT_EQ(entries[0].epochs, 2);
  EXPECT_EQ(entries[0].line, 2);
  // From the file's folder; what is absolute stays.
  EXPECT_THAT(entries[1].data,
              ElementsAre("x=" + dir_.File("a/x.npy"), "y=/b/y.npy"));
  EXPECT_EQ(entries[1].name, "'x=a/x.npy', 'y=/b/y.npy'");
  EXPECT_EQ(entries[1].weight, 3);
  EXPECT_EQ(entries[1].epochs, 1);
  EXPECT_THAT(entries[2].data, ElementsAre(dir_.File("books.bin") + ":u32"));
}

TEST_F(BlendFileTest, OnlyFilesWithoutAFieldAreBlends) {
  EXPECT_TRUE(NamesBlend("mix.toml"));
  EXPECT_TRUE(NamesBlend("./a=b/mix.toml"));
  EXPECT_FALSE(NamesBlend("x=mix.toml"));
  EXPECT_FALSE(NamesBlend("mix.toml:u16"));
  EXPECT_FALSE(NamesBlend("mix.bin"));
}

TEST_F(BlendFileTest, WhatIsNotThereOrNotKnownIsRefusedWithItsLine) {
  ExpectRefused("", absl::StrCat("line 1: expected ", kForm, ", got none"));
  ExpectRefused("dataset = []",
                absl::StrCat("line 1: expected ", kForm, ", got 'dataset'"));
  ExpectRefused("[dataset]\npath = 'a.bin'\nweight = 1",
                absl::StrCat("expected ", kForm, ", got 'dataset'"));
  ExpectRefused("[[dataset]]\npath = 'a.bin'\n",
                absl::StrCat("line 1: expected ", kForm, ", got no weight"));
  ExpectRefused("\n[[dataset]]\nweight = 1\n",
                absl::StrCat("line 2: expected ", kForm, ", got no path"));
  ExpectRefused("[[dataset]]\npath = 'a.bin'\nweight = 1\nepoch = 2",
                absl::StrCat("line 4: expected ", kForm, ", got 'epoch'"));
  ExpectRefused("seed = 1\n[[dataset]]\npath = 'a.bin'\nweight = 1",
                absl::StrCat("line 1: expected ", kForm, ", got 'seed'"));
  ExpectRefused("[[dataset]]\npath = 'a.bin\nweight = 1",
                "line 2: expected TOML: ");
  ExpectRefused("[[datas\xEF\xBB\x95 tda]]", "line 1: expected TOML: ");
  ExpectRefused("[[[dataset]]]\npath = 'a.bin'\nweight = 1",
                "line 1: expected TOML: ");
}

TEST_F(BlendFileTest, ValuesOfTheWrongKindAreRefused) {
  const auto with = [](const std::string& line) {
    return "[[dataset]]\npath = 'a.bin'\nweight = 1\n[[dataset]]\n" + line;
  };
  const std::string weight =
      "line 5: weight: expected a positive number; leave out a dataset that is "
      "not wanted";
  for (const char* value : {"0", "-1", "0.0", "nan", "inf", "-inf", "1e301",
                            "'1'", "true", "[1]"}) {
    ExpectRefused(with(absl::StrCat("weight = ", value, "\npath = 'b.bin'")),
                  weight);
  }
  const std::string epochs =
      "line 5: epochs: expected a whole number from 1 to 2147483648";
  for (const char* value : {"0", "-1", "1.5", "'2'", "2147483649"}) {
    ExpectRefused(
        with(absl::StrCat("epochs = ", value, "\npath = 'b.bin'\nweight = 1")),
        epochs);
  }
  for (const char* value : {"1", "[1]", "['a.bin', 2]", "{ a = 1 }"}) {
    ExpectRefused(with(absl::StrCat("path = ", value, "\nweight = 1")),
                  "line 5: path: expected a string, as after --data, or an "
                  "array of them");
  }
  ExpectRefused(with("path = []\nweight = 1"),
                "line 5: path: expected a path or more, got none");
  ExpectRefused(with("path = 'other.toml'\nweight = 1"),
                "line 5: path: expected data, got the blend 'other.toml'; "
                "write its datasets here instead");
  ExpectRefused(with("path = '=a.bin'\nweight = 1"), "line 5: path: --data =a");
}

TEST_F(BlendFileTest, AllFaultsAreTold) {
  EXPECT_THAT(Read("[[dataset]]\npath = 1\nweight = 0\nepochs = 0\nmore = 1"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("line 2: path"),
                                        HasSubstr("line 3: weight"),
                                        HasSubstr("line 4: epochs"),
                                        HasSubstr("line 5: expected"))));
}

TEST_F(BlendFileTest, FilesThatAreMissingOrTooLargeAreErrors) {
  EXPECT_THAT(ReadBlendFile(*vfs_, dir_.File("no.toml")),
              StatusIs(absl::StatusCode::kNotFound,
                       absl::StrCat("'", dir_.File("no.toml"),
                                    "': expected a blend of datasets, got no "
                                    "such file; check the path")));
  EXPECT_THAT(Read(std::string((1 << 20) + 1, '#')),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("expected at most 1048576 bytes, got more")));
  std::string many;
  for (int i = 0; i < 4097; ++i) {
    many += "[[dataset]]\npath='a.bin'\nweight=1\n";
  }
  ExpectRefused(many, "expected at most 4096 datasets, got 4097");
}

}  // namespace
}  // namespace accel::runtime
