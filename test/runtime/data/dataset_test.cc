// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sample depends on data, seed and global index, and on nothing else.
#include "runtime/data/dataset.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Npy;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

class DatasetTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Dataset>> Open(const DatasetOptions& options) {
    return Dataset::Open(*vfs_, signature_, options);
  }

  static std::vector<int32_t> Rows(const Dataset& data, int64_t first,
                                   int64_t count) {
    std::vector<int32_t> values(count);
    for (int64_t g = 0; g < count; ++g) {
      EXPECT_OK(data.Fill(
          first + g, 0,
          absl::MakeSpan(reinterpret_cast<std::byte*>(&values[g]), 4)));
    }
    return values;
  }

  static std::vector<int32_t> Iota() {
    std::vector<int32_t> values(10);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::vector<SignatureField> signature_ = {{"x", {4, 1}, DType::kI32}};
  std::string file_ = dir_.Write("x.npy", Npy<int32_t>("<i4", {10, 1}, Iota()));
  DatasetOptions options_ = {{"x=" + file_}, 7, true, 4};
};

TEST_F(DatasetTest, EveryEpochShowsEveryRowOnceInItsOwnOrder) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  EXPECT_EQ(data->size(), 10);
  EXPECT_FALSE(data->synthetic());
  std::vector<int32_t> first = Rows(*data, 0, 10);
  std::vector<int32_t> second = Rows(*data, 10, 10);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, Iota());
  EXPECT_EQ(second, Iota());
}

TEST_F(DatasetTest, ASampleDoesNotDependOnWhatWasReadBefore) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  const std::vector<int32_t> all = Rows(*data, 0, 40);
  ASSERT_OK_AND_ASSIGN(auto resumed, Open(options_));
  EXPECT_EQ(Rows(*resumed, 23, 5),
            std::vector<int32_t>(all.begin() + 23, all.begin() + 28));
}

TEST_F(DatasetTest, TheSeedChangesTheOrderAndNotTheIdentity) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  options_.seed = 8;
  ASSERT_OK_AND_ASSIGN(auto other, Open(options_));
  EXPECT_NE(Rows(*data, 0, 10), Rows(*other, 0, 10));
  EXPECT_EQ(data->identity(), other->identity());
}

TEST_F(DatasetTest, WithoutShuffleRowsComeInOrder) {
  options_.shuffle = false;
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  EXPECT_EQ(Rows(*data, 0, 10), Iota());
  EXPECT_EQ(Rows(*data, 13, 1), (std::vector<int32_t>{3}));
}

TEST_F(DatasetTest, DescribesWhereEveryFieldComesFrom) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  EXPECT_EQ(data->Describe(/*run_samples=*/0),
            absl::StrCat("10 samples per epoch, shuffled (seed 7)\n"
                         "  input 'x' [4, 1] of i32: '",
                         file_, "' [10, 1] of i32\n"));
}

TEST_F(DatasetTest, SyntheticDataAreSaidLoudly) {
  options_.data.clear();
  options_.shuffle = false;
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  EXPECT_TRUE(data->synthetic());
  EXPECT_EQ(data->Describe(/*run_samples=*/0),
            "SYNTHETIC DATA: no --data was given, the model trains on made-up "
            "samples.\n"
            "1,048,576 samples per epoch, in order\n"
            "  input 'x' [4, 1] of i32: ones\n");
}

TEST_F(DatasetTest, AFileThatChangesDuringTheRunIsNamed) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  ASSERT_EQ(::truncate(file_.c_str(), 130), 0);
  std::byte bytes[4];
  const int64_t offset = 128 + 4 * data->RowOf(0);  // behind the header
  EXPECT_THAT(
      data->Fill(0, 0, absl::MakeSpan(bytes)),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               absl::StrCat("'", file_,
                            "' changed during the run: it had 168 bytes and "
                            "has 130, seen at byte offset ",
                            offset,
                            "; start again with files that stay as "
                            "they are")));
}

TEST_F(DatasetTest, AWrongBufferSizeIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto data, Open(options_));
  std::byte bytes[8];
  EXPECT_THAT(data->Fill(0, 0, absl::MakeSpan(bytes)),
              StatusIs(absl::StatusCode::kInternal,
                       "input 'x': expected room for 4 bytes, got 8"));
}

TEST_F(DatasetTest, BindingFaultsReachTheCaller) {
  options_.global_batch = 11;
  EXPECT_THAT(
      Open(options_),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("the data do not fit the plan: expected at least "
                            "11 samples, the global batch, got 10 in '",
                            file_,
                            "'; give more data or a smaller "
                            "--global-batch")));
}

}  // namespace
}  // namespace accel::runtime
