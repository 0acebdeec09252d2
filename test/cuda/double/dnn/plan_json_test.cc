// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as text: it gives the same bits, and a text that was changed is none.
#include <gtest/gtest.h>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

std::string JsonOf(const Object& plan) {
  const std::vector<char> text = plan.Get<char>(kPlanJson, kTypeChar);
  EXPECT_EQ(text.back(), '\0');
  return text.data();
}

std::unique_ptr<Object> Read(const std::string& json, Status* status) {
  auto plan = std::make_unique<Object>(kExecutionPlanDescriptor);
  plan->SetHandle(kPlanHandle, TheDoubles().handle);
  plan->Set(kPlanJson, kTypeChar,
            std::vector<char>(json.c_str(), json.c_str() + json.size() + 1));
  *status = plan->Finalize();
  return *status == kSuccess ? std::move(plan) : nullptr;
}

const Case kTest{.way = Way::kFilter, .alpha = 0.25, .beta = 1};

std::string JsonOfEngine(int64_t engine) {
  Graph graph(kTest);
  Status status = kSuccess;
  const auto configuration = graph.Configure(engine, &status);
  const auto plan = MakePlan(*configuration, &status);
  return JsonOf(*plan);
}

TEST(PlanJsonTest, GivesTheSamePlan) {
  const Numbers numbers(kTest, /*all_bits=*/true);
  CaseRun run(kTest, numbers);
  Graph graph(kTest);
  for (int64_t engine : {0, 2, 4, 7}) {
    Status status = kSuccess;
    const auto configuration = graph.Configure(engine, &status);
    const auto plan = MakePlan(*configuration, &status);
    ASSERT_NE(plan, nullptr) << engine;
    const auto again = Read(JsonOf(*plan), &status);
    ASSERT_NE(again, nullptr) << LastError();
    EXPECT_EQ(again->GetInt64(kPlanWorkspaceSize),
              plan->GetInt64(kPlanWorkspaceSize));
    EXPECT_EQ(JsonOf(*again), JsonOf(*plan));
    EXPECT_EQ(run.Execute(*again), run.Execute(*plan));
  }
}

TEST(PlanJsonTest, EveryChangedByteIsFound) {
  const std::string json = JsonOfEngine(4);
  for (size_t i = 0; i < json.size(); ++i) {
    std::string changed = json;
    changed[i] = changed[i] == '7' ? '3' : '7';
    Status status = kSuccess;
    EXPECT_EQ(Read(changed, &status), nullptr) << changed;
    EXPECT_EQ(Read(json.substr(0, i), &status), nullptr);
  }
}

TEST(PlanJsonTest, IsOfOneVersion) {
  std::string json = JsonOfEngine(4);
  const size_t at = json.find("92801");
  ASSERT_NE(at, std::string::npos);
  json[at + 4] = '0';
  Status status = kSuccess;
  EXPECT_EQ(Read(json, &status), nullptr);
  EXPECT_EQ(status, kSerializationVersionMismatch);
}

TEST(PlanJsonTest, StandsInPlaceOfAConfiguration) {
  Graph graph(kTest);
  Status status = kSuccess;
  const auto configuration = graph.Configure(0, &status);
  Object plan(kExecutionPlanDescriptor);
  const std::string json = JsonOfEngine(0);
  plan.SetHandle(kPlanHandle, TheDoubles().handle);
  plan.SetObject(kPlanEngineConfig, *configuration);
  plan.Set(kPlanJson, kTypeChar,
           std::vector<char>(json.c_str(), json.c_str() + json.size() + 1));
  EXPECT_EQ(plan.Finalize(), kBadParam);
}

TEST(PlanJsonTest, IsOfOneDevice) {
  std::string json = JsonOfEngine(4);
  const size_t at = json.find("\"capability\":90");
  ASSERT_NE(at, std::string::npos);
  json[at + 13] = '8';
  Status status = kSuccess;
  EXPECT_EQ(Read(json, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedArchMismatch);
}

}  // namespace
}  // namespace accel::cuda_double::dnn
