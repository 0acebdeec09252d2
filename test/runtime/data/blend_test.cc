// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A blend shows the rows of its datasets in the proportion of their weights,
// each of them in an order of its own, and says what a run takes before it
// begins.
#include "runtime/data/blend.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/data/dataset.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Npy;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::HasSubstr;

class BlendTest : public ::testing::Test {
 protected:
  // An array of `rows` numbers, `first` and what follows it.
  void Write(const std::string& name, int32_t first, int64_t rows) {
    std::vector<int32_t> values(static_cast<size_t>(rows));
    std::iota(values.begin(), values.end(), first);
    dir_.Write(name, Npy<int32_t>("<i4", {rows, 1}, values));
  }

  // Of a.npy (1000 and on, 12 rows) and b.npy (2000 and on, 5 rows).
  static std::string Mix(const std::string& a, const std::string& b) {
    return absl::StrCat("[[dataset]]\npath = 'x=a.npy'\n", a,
                        "\n[[dataset]]\npath = 'x=b.npy'\n", b, "\n");
  }

  absl::StatusOr<std::unique_ptr<Dataset>> Open(const std::string& text) {
    DatasetOptions options;
    options.data = {dir_.Write("mix.toml", text)};
    options.seed = seed_;
    options.shuffle = shuffle_;
    options.global_batch = 4;
    return Dataset::Open(*vfs_, {{"x", {4, 1}, DType::kI32}}, options);
  }

  static std::vector<int32_t> Values(const Dataset& data, int64_t count) {
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (int64_t g = 0; g < count; ++g) {
      EXPECT_OK(data.Fill(
          g, 0, absl::MakeSpan(reinterpret_cast<std::byte*>(&values[g]), 4)));
    }
    return values;
  }

  // What of `values` comes from the array that begins at `first`.
  static std::vector<int32_t> Of(const std::vector<int32_t>& values,
                                 int32_t first) {
    std::vector<int32_t> own;
    for (const int32_t value : values) {
      if (value / 1000 * 1000 == first) {
        own.push_back(value);
      }
    }
    return own;
  }

  void SetUp() override {
    Write("a.npy", 1000, 12);
    Write("b.npy", 2000, 5);
  }

  TempDir dir_;
  uint64_t seed_ = 3;
  bool shuffle_ = true;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(BlendTest, TakesBothByWeightAndEachInOrdersOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(const auto data,
                       Open(Mix("weight = 3", "weight = 1\nepochs = 4")));
  EXPECT_EQ(data->size(), 17);
  const std::vector<int32_t> values = Values(*data, 80);
  const std::vector<int32_t> a = Of(values, 1000);
  const std::vector<int32_t> b = Of(values, 2000);
  ASSERT_EQ(a.size(), 60);
  ASSERT_EQ(b.size(), 20);
  // Every epoch of each shows every row once, in an order of its own.
  std::vector<std::vector<int32_t>> orders;
  for (size_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<int32_t> rows(b.begin() + epoch * 5, b.begin() + epoch * 5 + 5);
    orders.push_back(rows);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (std::vector<int32_t>{2000, 2001, 2002, 2003, 2004}));
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
}

TEST_F(BlendTest, DatasetsOfOneSizeAreNotInStep) {
  Write("a.npy", 1000, 64);
  Write("b.npy", 2000, 64);
  ASSERT_OK_AND_ASSIGN(const auto data, Open(Mix("weight = 1", "weight = 1")));
  const std::vector<int32_t> values = Values(*data, 128);
  std::vector<int32_t> a = Of(values, 1000);
  for (int32_t& value : a) {
    value += 1000;
  }
  EXPECT_NE(a, Of(values, 2000));
}

TEST_F(BlendTest, WithoutShuffleEachComesInOrder) {
  shuffle_ = false;
  ASSERT_OK_AND_ASSIGN(const auto data, Open(Mix("weight = 1", "weight = 1")));
  EXPECT_EQ(Values(*data, 6),
            (std::vector<int32_t>{1000, 2000, 1001, 2001, 1002, 2002}));
  EXPECT_EQ(data->RowOf(1), 12);
  EXPECT_EQ(data->DescribeRow(12), "0 of 'x=b.npy'");
  EXPECT_EQ(data->DescribeRow(11), "11 of 'x=a.npy'");
  EXPECT_EQ(data->DescribeRow(16), "4 of 'x=b.npy'");
}

TEST_F(BlendTest, TheIdentityIsTheMeaningOfTheFileAndTheContents) {
  ASSERT_OK_AND_ASSIGN(const auto data, Open(Mix("weight = 3", "weight = 1")));
  const auto identity = [this](const std::string& text) {
    const auto other = Open(text);
    EXPECT_OK(other.status());
    return (*other)->identity();
  };
  // The same said otherwise, and a bound that no sample depends on.
  EXPECT_EQ(identity("# mixed\n" + Mix("weight = 0.75", "weight = 0.25")),
            data->identity());
  EXPECT_EQ(identity(Mix("weight = 3\nepochs = 2", "weight = 1")),
            data->identity());
  EXPECT_NE(identity(Mix("weight = 3.001", "weight = 1")), data->identity());
  EXPECT_NE(identity("[[dataset]]\npath = 'x=b.npy'\nweight = 1\n"
                     "[[dataset]]\npath = 'x=a.npy'\nweight = 3\n"),
            data->identity());
  Write("b.npy", 2001, 5);
  EXPECT_NE(identity(Mix("weight = 3", "weight = 1")), data->identity());
}

TEST_F(BlendTest, ARunIsComparedWithItsDatasetsBeforeItBegins) {
  ASSERT_OK_AND_ASSIGN(const auto data,
                       Open(Mix("weight = 3", "weight = 1\nepochs = 2")));
  // 12 of a are 16 samples of the run, and the next one of a is number 16.
  EXPECT_EQ(data->DefaultSamples(), 16);
  EXPECT_OK(data->CheckRun(16));
  EXPECT_THAT(
      data->CheckRun(17),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("the run does not fit its blend: line 1 of '",
                            dir_.File("mix.toml"),
                            "' ('x=a.npy'), 75% of the run: expected at most "
                            "12 samples, as many as there are, got 13 of the "
                            "17 samples of the run; say epochs = 2 if it shall "
                            "be repeated so often, give it less weight, or "
                            "take 4 steps")));
  EXPECT_THAT(data->CheckRun(48),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected at most 10 samples, 2 times the 5 "
                                 "there are, got 12")));
  EXPECT_THAT(
      data->CheckRun(3),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("line 4 of '" + dir_.File("mix.toml") +
                         "' ('x=b.npy'), 25% of the run: expected one of the 3 "
                         "samples of the run or more, got none; it takes 1 "
                         "step to come to it: take more, give it more weight, "
                         "or leave it out")));
}

TEST_F(BlendTest, SaysWhatARunTakes) {
  ASSERT_OK_AND_ASSIGN(const auto data,
                       Open(Mix("weight = 3", "weight = 1\nepochs = 2")));
  EXPECT_EQ(
      data->Describe(16),
      absl::StrCat("17 samples in the blend '", dir_.File("mix.toml"),
                   "' of 2 datasets, each shuffled (seed 3)\n"
                   "  75% of the run: 12 samples of 'x=a.npy', which has 12: 1 "
                   "epochs of 1\n"
                   "  25% of the run: 4 samples of 'x=b.npy', which has 5: 0.8 "
                   "epochs of 2\n"
                   "  input 'x' [4, 1] of i32: '",
                   dir_.File("a.npy"), "' [12, 1] of i32; '",
                   dir_.File("b.npy"), "' [5, 1] of i32\n"));
}

TEST_F(BlendTest, FaultsOfAllDatasetsAreToldWithTheirLines) {
  const auto opened = Open(
      "[[dataset]]\npath = 'x=none.npy'\nweight = 1\n"
      "[[dataset]]\npath = 'y=a.npy'\nweight = 1\n");
  EXPECT_THAT(opened,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(
                           HasSubstr("line 1 of '" + dir_.File("mix.toml") +
                                     "' ('x=none.npy'): the data do not fit "
                                     "the plan: '" +
                                     dir_.File("none.npy") +
                                     "': expected a file of training data"),
                           HasSubstr("line 4 of '" + dir_.File("mix.toml")))));
  EXPECT_THAT(Open(Mix("weight = 1", "weight = 1e-9")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected a weight of 2^-20 of all weights or "
                                 "more, got 1e-09")));
}

TEST_F(BlendTest, ABlendIsTheOnlyData) {
  const std::string mix =
      dir_.Write("mix.toml", Mix("weight = 1", "weight = 1"));
  DatasetOptions options;
  for (const std::vector<std::string>& data :
       {std::vector<std::string>{mix, "x=" + dir_.File("a.npy")},
        std::vector<std::string>{"x=" + mix}}) {
    options.data = data;
    EXPECT_THAT(
        Dataset::Open(*vfs_, {{"x", {4, 1}, DType::kI32}}, options),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("expected data, got the blend '" + mix +
                           "'; a blend is --data FILE.toml, without a field's "
                           "name, and the only --data")));
  }
}

}  // namespace
}  // namespace accel::runtime
