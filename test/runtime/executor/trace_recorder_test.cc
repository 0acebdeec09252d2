// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces are JSON that says of every instruction when it ran, on which rank and
// stream.
#include "runtime/executor/trace_recorder.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/plan.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using nlohmann::json;
using runtime::Plan;
using runtime::TraceRecorder;
using std::chrono::microseconds;

class TraceRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SamplePlan sample = MakeSamplePlan();
    sample.manifest.mutable_sources()->Clear();
    planpb::Source* source = sample.manifest.add_sources();
    source->set_node("a \"quoted\" node");
    source->set_file("train.py");
    source->set_line(12);
    sample.Step("metric grad_norm").set_source_plus_one(1);
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
  }

  json WriteAndRead(const TraceRecorder& recorder) {
    EXPECT_OK(recorder.Write(*vfs_, dir_.File("trace.json")));
    return json::parse(dir_.Read("trace.json"));
  }

  const planpb::Instruction& Named(const std::string& name) {
    for (const planpb::Instruction& each :
         plan_->view().FindFunction(planpb::FUNCTION_STEP)->instructions()) {
      if (each.name() == name) {
        return each;
      }
    }
    ADD_FAILURE() << "no instruction " << name;
    return plan_->view().FindFunction(planpb::FUNCTION_STEP)->instructions()[0];
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<Plan> plan_;
};

TEST_F(TraceRecorderTest, AnEventSaysWhatRanWhereAndWhen) {
  TraceRecorder recorder(plan_->view(), 2, 5);
  const planpb::Instruction& metric = Named("metric grad_norm");
  const auto begin = TraceRecorder::Clock::now() + microseconds(50);
  recorder.Record(1, metric, 3, 7, begin, begin + microseconds(1500));
  const json trace = WriteAndRead(recorder);
  const json& event = trace["traceEvents"].back();
  EXPECT_EQ(event["name"], "metric grad_norm");
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["pid"], 1);
  EXPECT_EQ(event["tid"], metric.stream());
  EXPECT_GT(event["ts"].get<double>(), 0.0);
  EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 1500.0);
  EXPECT_EQ(event["args"]["instruction"], metric.id());
  EXPECT_EQ(event["args"]["step"], 4);  // as in metrics.jsonl, from 1
  EXPECT_EQ(event["args"]["microbatch"], 7);
  EXPECT_EQ(event["args"]["line"], "train.py:12");
  EXPECT_EQ(event["args"]["node"], "a \"quoted\" node");
}

TEST_F(TraceRecorderTest, EveryRankIsAProcessAndEveryStreamAThread) {
  TraceRecorder recorder(plan_->view(), 3, 1);
  const auto now = TraceRecorder::Clock::now();
  recorder.Record(0, Named("metric grad_norm"), 0, 0, now, now);
  recorder.Record(2, Named("metric grad_norm"), 0, 0, now, now);
  const json trace = WriteAndRead(recorder);
  std::map<std::string, int> names;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      ++names[event["args"]["name"].get<std::string>()];
    }
  }
  // Rank 1 is another process: its trace is its own.
  EXPECT_EQ(
      names,
      (std::map<std::string, int>{
          {"rank 0", 1}, {"rank 2", 1}, {"compute", 2}, {"communication", 2}}));
}

TEST_F(TraceRecorderTest, ACollectiveTellsWhatARankSends) {
  const SamplePlan sharded = MakeShardedPlan(10);
  ASSERT_OK(WriteSamplePlan(*vfs_, sharded, dir_.File("plan")));
  ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
  const auto now = TraceRecorder::Clock::now();
  for (const int ranks : {1, 3}) {
    TraceRecorder recorder(plan_->view(), ranks, 1);
    recorder.Record(0, Named("gather"), 0, 0, now, now);
    const json trace = WriteAndRead(recorder);
    EXPECT_EQ(trace["traceEvents"].back()["args"]["bytes"],
              (ranks - 1) * 4 * 4);
  }
}

// Two units of the roofline in time: half of it is achieved, by the longer of
// computing and moving bytes.
TEST_F(TraceRecorderTest, WithARooflineAnEventSaysWhatItAchieved) {
  SamplePlan sample = MakeSamplePlan();
  planpb::Instruction& predict = sample.Step("predict");
  predict.clear_flops();
  predict.add_flops()->set_count(3'000'000);
  predict.set_bytes_moved(500'000);
  ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
  ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
  runtime::TraceFacts facts;
  facts.producer = "accel-run 1.2";
  facts.threads = 3;
  facts.has_rates = true;
  facts.roofline = runtime::Roofline{6e9, 2e9};
  TraceRecorder recorder(plan_->view(), 1, 1, facts);
  const auto now = TraceRecorder::Clock::now();
  recorder.Record(0, Named("predict"), 0, 0, now, now + microseconds(1000));
  recorder.Record(0, Named("metric loss"), 0, 0, now, now + microseconds(1));
  const json trace = WriteAndRead(recorder);
  const json& other = trace["otherData"];
  EXPECT_EQ(other["format"], "accel-run trace");
  EXPECT_EQ(other["version"], 2);
  EXPECT_EQ(other["producer"], "accel-run 1.2");
  EXPECT_EQ(other["model"], "regression");
  EXPECT_EQ(other["threads"], 3);
  EXPECT_EQ(other["roofline"]["flops_per_second"], 6e9);
  EXPECT_EQ(other["roofline"]["bytes_per_second"], 2e9);
  for (const json& event : trace["traceEvents"]) {
    const json& args = event["args"];
    if (event["name"] == "predict") {
      EXPECT_EQ(args["flops_per_second"], 3e9);
      EXPECT_EQ(args["bytes_per_second"], 5e8);
      EXPECT_EQ(args["roofline_us"], 500);
      EXPECT_EQ(args["roofline_share"], 0.5);
    } else if (event["ph"] == "X") {
      EXPECT_FALSE(args.contains("roofline_us"));  // the host takes it
    }
  }
}

TEST_F(TraceRecorderTest, LaterStepsAreNotRecorded) {
  TraceRecorder recorder(plan_->view(), 1, 2);
  recorder.Reserve(10);
  const auto now = TraceRecorder::Clock::now();
  for (int64_t step = 0; step < 4; ++step) {
    recorder.Record(0, Named("metric grad_norm"), step, 0, now, now);
  }
  int events = 0;
  const json trace = WriteAndRead(recorder);
  for (const json& event : trace["traceEvents"]) {
    events += event["ph"] == "X" ? 1 : 0;
  }
  EXPECT_EQ(events, 2);
}

}  // namespace
}  // namespace accel::testing
