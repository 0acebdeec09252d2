// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sample plan's instructions ask of a device.
#include "runtime/executor/instruction_issuer.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::ByteRange;
using runtime::Instance;
using ::testing::ElementsAre;

// Writes down what it is asked for.
class Recorder : public runtime::Operations {
 public:
  absl::Status Launch(const runtime::KernelLaunch& launch) override {
    return Note("launch ", launch.kernel, " of ", launch.arguments.size(),
                " on ", launch.owned, " of ", launch.elements);
  }
  absl::Status Fill(const ByteRange& destination,
                    absl::string_view pattern) override {
    return Note("fill ", destination.size(), " with ", pattern.size());
  }
  absl::Status Copy(const ByteRange& source,
                    const ByteRange& destination) override {
    return Note("copy ", source.size(), " to ", destination.size());
  }
  absl::Status Collective(const runtime::CollectiveCall& call,
                          const ByteRange& input,
                          const ByteRange& output) override {
    return Note(call.name, " of ", input.size(), " to ", output.size());
  }
  absl::Status Upload(
      const ByteRange& destination,
      absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce) override {
    std::vector<std::byte> host(destination.size());
    RETURN_IF_ERROR(produce(absl::MakeSpan(host)));
    return Note("upload ", host.size());
  }
  absl::Status Download(const ByteRange& source,
                        absl::Span<std::byte> host) override {
    const double value = 7.5;
    std::memcpy(host.data(), &value, sizeof value);
    return Note("download ", source.size(), " to ", host.size());
  }
  void ParallelFor(int64_t count,
                   absl::FunctionRef<void(int64_t)> task) override {
    for (int64_t i = 0; i < count; ++i) {
      task(i);
    }
  }

  std::vector<std::string> calls;

 private:
  template <typename... Parts>
  absl::Status Note(const Parts&... parts) {
    calls.push_back(absl::StrCat(parts...));
    return absl::OkStatus();
  }
};

class InstructionIssuerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_.Write("x.npy",
               Npy("<f4", {4, kFeatures}, std::vector<float>(4 * kFeatures)));
    dir_.Write("t.npy", Npy("<f4", {4}, std::vector<float>(4)));
    ASSERT_OK(WriteSamplePlan(*vfs_, sample_, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(auto layout,
                         runtime::MemoryLayout::Create(plan_->view(), {}));
    layout_ = std::make_unique<runtime::MemoryLayout>(std::move(layout));
    runtime::DatasetOptions options;
    options.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options.global_batch = 4;
    ASSERT_OK_AND_ASSIGN(
        dataset_,
        runtime::Dataset::Open(*vfs_, runtime::DataSignature(plan_->manifest()),
                               options));
    const auto batch = runtime::BatchPlan::Create(4, kMicrobatch, 1, 0, {});
    batches_ = std::make_unique<runtime::MicrobatchReader>(
        plan_->view(), *dataset_, batch.value(), 0);
    loader_ = std::make_unique<runtime::WeightLoader>(*plan_, files_);
    context_ = std::make_unique<runtime::IssueContext>(runtime::IssueContext{
        plan_->view(), *layout_, batches_.get(), *loader_, {}, 0, {}});
    context_->metrics.resize(plan_->manifest().metrics_size());
  }

  // What an instruction of a function asks for in an iteration.
  std::vector<std::string> Issue(planpb::FunctionRole role,
                                 const std::string& name,
                                 uint64_t iteration = 0) {
    runtime::InstructionIssuer issuer(*context_);
    Recorder recorder;
    for (const planpb::Instruction& instruction :
         plan_->view().FindFunction(role)->instructions()) {
      if (instruction.name() == name) {
        EXPECT_OK(issuer.Issue(Instance{&instruction, iteration}, recorder));
      }
    }
    return recorder.calls;
  }
  std::vector<std::string> Step(const std::string& name,
                                uint64_t iteration = 0) {
    return Issue(planpb::FUNCTION_STEP, name, iteration);
  }

  TempDir dir_;
  const std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  const SamplePlan sample_ = MakeSamplePlan();
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::MemoryLayout> layout_;
  std::unique_ptr<runtime::Dataset> dataset_;
  std::unique_ptr<runtime::MicrobatchReader> batches_;
  const runtime::ExternalFiles files_;
  std::unique_ptr<runtime::WeightLoader> loader_;
  std::unique_ptr<runtime::IssueContext> context_;
};

TEST_F(InstructionIssuerTest, ALaunchHasTheKernelsPointersAndUnits) {
  EXPECT_THAT(Step("predict"), ElementsAre("launch 5 of 3 on 1 of 1"));
}

TEST_F(InstructionIssuerTest, AFetchUploadsEachFieldAndNothingBehindTheLast) {
  EXPECT_THAT(Step("fetch next", 0),
              ElementsAre("upload 24", "upload 8", "upload 8", "upload 16"));
  EXPECT_THAT(Step("fetch next", 1), ElementsAre());
}

TEST_F(InstructionIssuerTest, AMetricIsDownloadedToItsPlace) {
  EXPECT_THAT(Step("metric tokens"), ElementsAre("download 8 to 8"));
  EXPECT_EQ(context_->metrics[1], 7.5);
  EXPECT_EQ(context_->metrics[0], 0.0);
}

TEST_F(InstructionIssuerTest, ALoadUploadsWhatItsPiecesName) {
  const auto calls = Issue(planpb::FUNCTION_INITIALIZE, "load w");
  EXPECT_THAT(calls, ElementsAre("upload 12"));
}

}  // namespace
}  // namespace accel::testing
