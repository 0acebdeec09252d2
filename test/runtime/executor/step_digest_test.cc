// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A digest is a function of what ranks must agree on, and of all of it; ranks
// that differ learn of it together.
#include "runtime/executor/step_digest.h"

#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

runtime::BatchPlan Batch(int64_t samples) {
  return *runtime::BatchPlan::Create(samples, 1, 1, 0, /*rules=*/{});
}

using namespace std::chrono_literals;
using runtime::CompareDigests;
using runtime::Dataset;
using runtime::DatasetOptions;
using runtime::StepDigest;

class StepDigestTest : public ::testing::Test {
 protected:
  std::unique_ptr<Dataset> Open(uint64_t seed, float value) {
    dir_.Write("x.npy", Npy("<f4", {12}, std::vector<float>(12, value)));
    runtime::SignatureField field;
    field.name = "x";
    field.shape = {4};
    field.dtype = runtime::DType::kF32;
    DatasetOptions options;
    options.data = {"x=" + dir_.File("x.npy")};
    options.seed = seed;
    options.global_batch = 4;
    auto dataset = Dataset::Open(*vfs_, {field}, options);
    EXPECT_OK(dataset.status());
    return *std::move(dataset);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
};

TEST_F(StepDigestTest, EverythingThatMattersChangesIt) {
  const auto dataset = Open(0, 1);
  const uint64_t digest = StepDigest(*dataset, Batch(4), 2, 0);
  EXPECT_EQ(StepDigest(*Open(0, 1), Batch(4), 2, 0), digest);
  const std::set<uint64_t> all = {digest,
                                  StepDigest(*dataset, Batch(4), 3, 0),
                                  StepDigest(*dataset, Batch(4), 2, 1),
                                  StepDigest(*dataset, Batch(6), 2, 0),
                                  StepDigest(*Open(1, 1), Batch(4), 2, 0),
                                  StepDigest(*Open(0, 2), Batch(4), 2, 0)};
  EXPECT_EQ(all.size(), 6);
}

class CompareDigestsTest : public ::testing::TestWithParam<Backend> {};

TEST_P(CompareDigestsTest, EqualOnesAreFineAndGiveTheLongestWait) {
  for (const auto& status : RunRanks(GetParam(), 3, [](auto& group) {
         const auto longest =
             CompareDigests(group, 4, 7, 10ns * (5 - group.rank()));
         EXPECT_EQ(longest.value_or(0ns), 50ns);
         return longest.status();
       })) {
    EXPECT_OK(status);
  }
}

TEST_P(CompareDigestsTest, ARankThatIsOutOfStepIsNamedOnAll) {
  const auto statuses = RunRanks(GetParam(), 3, [](auto& group) {
    return CompareDigests(group, 4, group.rank() == 2 ? 8 : 7, 1ns).status();
  });
  ASSERT_EQ(statuses.size(), 3);
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status,
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         "step 5: expected the same samples on all ranks, got "
                         "digest 0000000000000008 on rank 2 and "
                         "0000000000000007 on rank 0: they are out of step"));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CompareDigestsTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         BackendName);

}  // namespace
}  // namespace accel::testing
