// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cudnnBackendExecute and a variant pack refuse.
#include <gtest/gtest.h>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

// All operands lie in one buffer, whose layout is the test's.
class ExecutionRules : public testing::Test {
 protected:
  ExecutionRules() {
    graph_ = std::make_unique<Graph>(test_);
    Status status = kSuccess;
    configuration_ = graph_->Configure(4, &status);
    plan_ = MakePlan(*configuration_, &status);
    EXPECT_NE(plan_, nullptr);
  }

  Status Execute() { return Execute(uids_, pointers_); }

  Status Execute(const std::vector<int64_t>& uids,
                 const std::vector<void*>& pointers) {
    Object pack(kVariantPackDescriptor);
    EXPECT_EQ(Pack(pack, uids, pointers, workspace_), kSuccess);
    const Status status = Dnn().cudnnBackendExecute(TheDoubles().handle,
                                                    plan_->get(), pack.get());
    Finish();
    return status;
  }

  // 2688, 2304 and 2688 bytes.
  const Case test_{.way = Way::kData};
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Object> configuration_, plan_;
  DeviceBuffer buffer_{Bytes(256 << 10)};
  const std::vector<int64_t> uids_ = {kX, kW, kY};
  std::vector<void*> pointers_ = {buffer_.at(0), buffer_.at(64 << 10),
                                  buffer_.at(128 << 10)};
  void* workspace_ = buffer_.at(192 << 10);
};

TEST_F(ExecutionRules, EveryTensorHasAPointer) {
  EXPECT_EQ(Execute(), kSuccess) << LastError();
  for (size_t i = 0; i < 3; ++i) {
    std::vector<void*> pointers = pointers_;
    pointers[i] = nullptr;
    EXPECT_EQ(Execute(uids_, pointers), kBadParamNullPointer);
    std::vector<int64_t> uids = uids_;
    uids.erase(uids.begin() + int64_t(i));
    pointers.erase(pointers.begin() + int64_t(i));
    EXPECT_EQ(Execute(uids, pointers), kBadParam);
    EXPECT_NE(LastError().find("no pointer of tensor " + std::to_string(i + 1)),
              std::string::npos);
  }
  EXPECT_EQ(Execute({kX, kW, kY, 9},
                    {pointers_[0], pointers_[1], pointers_[2], buffer_.at()}),
            kBadParam)
      << "nobody has tensor 9";
}

TEST_F(ExecutionRules, PointersAreAlignedAsTheTensorsSay) {
  for (size_t i = 0; i < 3; ++i) {
    std::vector<void*> pointers = pointers_;
    pointers[i] = static_cast<char*>(pointers[i]) + 8;
    EXPECT_EQ(Execute(uids_, pointers), kBadParamMisalignedPointer);
    pointers[i] = static_cast<char*>(pointers[i]) + 8;
    EXPECT_EQ(Execute(uids_, pointers), kSuccess);
  }
  workspace_ = buffer_.at((192 << 10) + 8);
  EXPECT_EQ(Execute(), kBadParamMisalignedPointer);
}

TEST_F(ExecutionRules, OperandsLieApart) {
  pointers_[0] = buffer_.at((64 << 10) - 2688);
  EXPECT_EQ(Execute(), kSuccess) << "right before the filter";
  pointers_[0] = buffer_.at((64 << 10) - 2688 + 16);
  EXPECT_EQ(Execute(), kBadParam);
  pointers_[0] = pointers_[2];
  EXPECT_EQ(Execute(), kBadParam);
  pointers_[0] = buffer_.at();
  pointers_[1] = pointers_[2];
  EXPECT_EQ(Execute(), kSuccess) << "what is read may be read twice";
}

TEST_F(ExecutionRules, TheWorkspaceLiesApart) {
  for (void* pointer : pointers_) {
    workspace_ = pointer;
    EXPECT_EQ(Execute(), kBadParam);
  }
  workspace_ = nullptr;
  EXPECT_EQ(Execute(), kBadParamNullPointer);
  Status status = kSuccess;
  auto configuration = graph_->Configure(0, &status);
  plan_ = MakePlan(*configuration, &status);
  EXPECT_EQ(Execute(), kSuccess) << "that engine has none";
}

TEST_F(ExecutionRules, DescriptorsAreFinalAndOfTheirKind) {
  Object pack(kVariantPackDescriptor);
  const Handle handle = TheDoubles().handle;
  EXPECT_EQ(Dnn().cudnnBackendExecute(handle, plan_->get(), pack.get()),
            kBadParamNotFinalized);
  ASSERT_EQ(Pack(pack, uids_, pointers_, workspace_), kSuccess);
  EXPECT_EQ(Dnn().cudnnBackendExecute(handle, pack.get(), plan_->get()),
            kBadParamDescriptorType);
  EXPECT_EQ(
      Dnn().cudnnBackendExecute(handle, configuration_->get(), pack.get()),
      kBadParamDescriptorType);
  EXPECT_EQ(Dnn().cudnnBackendExecute(handle, plan_->get(), nullptr),
            kBadParam);
  EXPECT_EQ(Dnn().cudnnBackendExecute(nullptr, plan_->get(), pack.get()),
            kBadParam);
}

TEST_F(ExecutionRules, APlanOutlivesWhatItWasMadeOf) {
  configuration_.reset();
  graph_.reset();
  EXPECT_EQ(Execute(), kSuccess);
}

TEST_F(ExecutionRules, APackHasAsManyPointersAsIds) {
  Object pack(kVariantPackDescriptor);
  EXPECT_EQ(Pack(pack, {1, 2}, {buffer_.at()}, nullptr), kBadParam);
  Object twice(kVariantPackDescriptor);
  EXPECT_EQ(Pack(twice, {1, 1}, {buffer_.at(), buffer_.at()}, nullptr),
            kBadParamDuplicatedEntries);
}

TEST_F(ExecutionRules, APlanHasAHandleAndAConfiguration) {
  Object plan(kExecutionPlanDescriptor);
  EXPECT_EQ(plan.SetHandle(kPlanHandle, TheDoubles().handle), kSuccess);
  EXPECT_EQ(plan.Finalize(), kBadParam);
  EXPECT_EQ(plan.SetObject(kPlanEngineConfig, *configuration_), kSuccess);
  EXPECT_EQ(plan.SetHandle(kPlanHandle, nullptr), kSuccess);
  EXPECT_EQ(plan.Finalize(), kBadParam);
}

// Two samples of the image share a line.
TEST(ExecutionOutputTest, ElementsOfTheOutputLieApart) {
  const Case test{.way = Way::kData};
  Shape overlapping = test.x();
  overlapping.strides[0] -= 8;
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, overlapping);
  auto w = MakeTensor(kW, test.w());
  auto y = MakeTensor(kY, test.y());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  ASSERT_EQ(operation->Finalize(), kSuccess);
  auto graph = MakeGraph({operation.get()});
  ASSERT_EQ(graph->Finalize(), kSuccess);
  Object engine(kEngineDescriptor), configuration(kEngineCfgDescriptor);
  engine.SetObject(kEngineOperationGraph, *graph);
  engine.SetInt64(kEngineGlobalIndex, {0});
  ASSERT_EQ(engine.Finalize(), kSuccess);
  configuration.SetObject(kCfgEngine, engine);
  ASSERT_EQ(configuration.Finalize(), kSuccess);
  Status status = kSuccess;
  auto plan = MakePlan(configuration, &status);
  ASSERT_NE(plan, nullptr);
  DeviceBuffer buffer(Bytes(64 << 10));
  Object pack(kVariantPackDescriptor);
  ASSERT_EQ(
      Pack(pack, {kX, kW, kY},
           {buffer.at(), buffer.at(16 << 10), buffer.at(32 << 10)}, nullptr),
      kSuccess);
  EXPECT_EQ(
      Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get()),
      kBadParam);
}

}  // namespace
}  // namespace accel::cuda_double::dnn
