// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the data set and the fields that no data set has.
#include "runtime/executor/microbatch_reader.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::MicrobatchReader;
using ::testing::ElementsAre;

class MicrobatchReaderTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 5;
  static constexpr int kBatch =
      3;  // of kMicrobatch = 2: a short last iteration

  void SetUp() override {
    std::vector<float> x(kRows * kFeatures), t(kRows);
    for (int i = 0; i < kRows; ++i) {
      t[i] = static_cast<float>(10 * i);
    }
    dir_.Write("x.npy", Npy("<f4", {kRows, kFeatures}, x));
    dir_.Write("t.npy", Npy("<f4", {kRows}, t));
    runtime::DatasetOptions options;
    options.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options.shuffle = false;
    options.global_batch = kBatch;
    ASSERT_OK_AND_ASSIGN(
        dataset_,
        runtime::Dataset::Open(*vfs_, runtime::DataSignature(view_.manifest()),
                               options));
    const auto batch =
        runtime::BatchPlan::Create(kBatch, kMicrobatch, 1, 0, {});
    reader_ = std::make_unique<MicrobatchReader>(view_, *dataset_,
                                                 batch.value(), /*seed=*/42);
  }

  // Field `name` of a microbatch, which has `count` values.
  template <typename T>
  std::vector<T> Read(const std::string& name, int64_t step, int64_t iteration,
                      size_t count) {
    std::vector<T> values(count);
    for (int i = 0; i < view_.manifest().signature_size(); ++i) {
      if (view_.manifest().signature(i).name() == name) {
        EXPECT_OK(reader_->Read(
            static_cast<uint32_t>(i), step, iteration,
            absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                           count * sizeof(T))));
        return values;
      }
    }
    ADD_FAILURE() << "no field " << name;
    return values;
  }

  TempDir dir_;
  const std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  const runtime::PlanView view_ = *ViewOf(MakeSamplePlan());
  std::unique_ptr<runtime::Dataset> dataset_;
  std::unique_ptr<MicrobatchReader> reader_;
};

TEST_F(MicrobatchReaderTest, RowsAreThoseOfTheStepAndTheRound) {
  EXPECT_THAT(Read<float>("t", 0, 0, 2), ElementsAre(0, 10));
  // Padded with the batch's first sample.
  EXPECT_THAT(Read<float>("t", 0, 1, 2), ElementsAre(20, 0));
  EXPECT_THAT(Read<float>("t", 1, 0, 2), ElementsAre(30, 40));
}

TEST_F(MicrobatchReaderTest, PaddingWeighsNothing) {
  EXPECT_THAT(Read<float>("sample_weights", 0, 0, 2), ElementsAre(1, 1));
  EXPECT_THAT(Read<float>("sample_weights", 0, 1, 2), ElementsAre(1, 0));
}

TEST_F(MicrobatchReaderTest, OnlyFieldsOfTheDataAreAskedOfIt) {
  const auto fields = runtime::DataSignature(view_.manifest());
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].name, "x");
  EXPECT_EQ(fields[1].name, "t");
}

}  // namespace
}  // namespace accel::testing
