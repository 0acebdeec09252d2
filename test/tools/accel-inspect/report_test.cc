// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a report makes of a run: events, pictures, records.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/accel-inspect/event_file.h"
#include "tools/accel-inspect/report_chart.h"
#include "tools/accel-inspect/report_events.h"
#include "tools/accel-inspect/report_html.h"
#include "tools/accel-inspect/report_run.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tools::MetricsStep;
using tools::ReportEvent;
using tools::RunReport;

constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

MetricsStep Step(int64_t step, double loss, double skipped) {
  MetricsStep result;
  result.step = step;
  result.loss = loss;
  result.tokens = 8;
  result.seconds = 0.5;
  result.time = "2026-11-22T23:00:00.000Z";
  result.skipped_steps = skipped;
  return result;
}

void AddPart(const std::string& id, const std::vector<MetricsStep>& steps,
             RunReport& run) {
  const size_t begin = run.steps.size();
  run.steps.insert(run.steps.end(), steps.begin(), steps.end());
  run.parts.push_back({id, begin, run.steps.size()});
}

std::vector<std::string> Texts(const RunReport& run) {
  std::vector<std::string> texts;
  for (const ReportEvent& event : tools::EventsOf(run)) {
    texts.push_back(event.text);
  }
  return texts;
}

TEST(ReportTest, StepsThatAreTakenAgainAreAnEvent) {
  RunReport run;
  AddPart("a", {Step(1, 3, 0), Step(2, 3, 0), Step(3, 3, 0)}, run);
  AddPart("b", {Step(2, 3, 0), Step(3, 3, 0), Step(4, 3, 0)}, run);
  EXPECT_THAT(Texts(run),
              ElementsAre("run a begins with step 1",
                          "run b goes on with step 2, which ended 0 ns after "
                          "step 3",
                          "the metrics have steps 2 to 3 once more",
                          "the last step of the metrics is step 4"));
}

// A resumed run's counter goes on from its checkpoint.
TEST(ReportTest, StepsThatWereSkippedAreToldByTheCounterAcrossResumes) {
  RunReport run;
  AddPart("a", {Step(1, kNotFinite, 1), Step(2, 3, 1)}, run);
  AddPart("b", {Step(3, 3, 1), Step(4, 3, 2), Step(5, kNotFinite, 3)}, run);
  EXPECT_THAT(Texts(run),
              ElementsAre("run a begins with step 1",
                          "step 1 was not finite and changed no weight",
                          "run b goes on with step 3, which ended 0 ns after "
                          "step 2",
                          "steps 4 to 5 were not finite and changed no weight",
                          "the last step of the metrics is step 5"));
}

TEST(ReportTest, ARunHaltsWhereItsRecordSaysSo) {
  RunReport run;
  AddPart("a", {Step(1, 3, 0), Step(2, kNotFinite, 1)}, run);
  run.record.run = "a";
  run.record.steps = 10;
  const std::string halt =
      "the run halts at step 2, as its loss or gradient was not finite";
  EXPECT_THAT(Texts(run), ::testing::Not(::testing::Contains(halt)));
  run.record.halts = true;
  EXPECT_THAT(Texts(run),
              ElementsAre("run a begins with step 1",
                          "step 2 was not finite and changed no weight", halt,
                          "the last step of the metrics is step 2 of 10"));
  // The record of another start says nothing of this one.
  run.record.run = "b";
  EXPECT_THAT(Texts(run), ::testing::Not(::testing::Contains(halt)));
  // A gradient that overflows at a scale above 1 halts nothing.
  run.record.run = "a";
  run.steps.back().loss = 3;
  run.steps.back().loss_scale = 2;
  EXPECT_THAT(Texts(run), ::testing::Not(::testing::Contains(halt)));
}

TEST(ReportTest, ARecordIsShownWhateverItHolds) {
  const auto record = tools::ParseReportedRecord(
      "run.json",
      R"({"run":7,"steps":"many","on_nonfinite":"halt","new_thing":[1,null],)"
      R"("fp8":{"recipe":"delayed","emulated":true},"planned_rank_bytes":2048})");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->run, "");
  EXPECT_EQ(record->steps, 0);
  EXPECT_TRUE(record->halts);
  EXPECT_THAT(
      record->rows,
      ElementsAre(::testing::Pair("run", "7"), ::testing::Pair("steps", "many"),
                  ::testing::Pair("on nonfinite", "halt"),
                  ::testing::Pair("new thing", "[1,null]"),
                  ::testing::Pair("fp8 recipe", "delayed"),
                  ::testing::Pair("fp8 emulated", "true"),
                  ::testing::Pair("planned rank bytes", "2 KiB (2048)")));
  EXPECT_EQ(tools::ParseReportedRecord("r", "[1]").status().message(),
            "'r': expected a JSON object, got array; the file is damaged: "
            "remove it for a report without it");
}

// The bytes are those that TensorBoard's own writer writes for these records.
TEST(ReportTest, RecordsAreFramedAsTensorBoardFramesThem) {
  EXPECT_EQ(absl::BytesToHexString(tools::FramedRecord("accel")),
            "0500000000000000eab2043e616363656ce2ceab21");
  EXPECT_EQ(absl::BytesToHexString(tools::FramedRecord("")),
            "000000000000000029039807d8ea82a2");
}

TEST(ReportTest, APageIsSmallWhateverTheRunWentThrough) {
  RunReport run;
  run.path = "run";
  constexpr int64_t kStarts = 20000;
  for (int64_t i = 0; i < kStarts; ++i) {
    const int64_t step = 5 * i + 1;
    const double value = std::pow(10, i % 40);
    AddPart(absl::StrCat("start", i),
            {Step(step, value, static_cast<double>(i)),
             Step(step + 1, kNotFinite, static_cast<double>(i + 1)),
             Step(step + 2, -value, static_cast<double>(i + 1))},
            run);
    for (size_t j = run.steps.size() - 3; j < run.steps.size(); ++j) {
      run.steps[j].grad_norm = run.steps[j].lr = value;
      run.steps[j].data_wait_seconds = run.steps[j].peak_bytes = value;
      run.steps[j].loss_scale = value;
      run.steps[j].has_eval = true;
      run.steps[j].eval_loss = value;
    }
    run.checkpoints.push_back(step);
  }
  run.record.found = true;
  for (int i = 0; i < 10000; ++i) {
    run.record.rows.emplace_back("name", std::string(5000, '<'));
  }
  const std::vector<ReportEvent> events = tools::EventsOf(run);
  EXPECT_GT(events.size(), 4 * kStarts - 4);
  const std::string page = tools::ReportHtml(run, events);
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_THAT(page, HasSubstr("between these are left out"));
  EXPECT_THAT(page, HasSubstr("9600 rows more in run.json"));
}

TEST(ReportTest, ColumnsHaveExtremesAndMeansOfAnySize) {
  tools::ColumnFiller filler(1, 100, 2);
  filler.Add(1, 1);
  filler.Add(2, 4);
  filler.Add(3, 1);
  filler.Add(99, kNotFinite);
  filler.Add(100, std::numeric_limits<double>::max());
  filler.Add(100, std::numeric_limits<double>::max());
  const auto& columns = filler.columns();
  EXPECT_EQ(columns[0].lowest, 1);
  EXPECT_EQ(columns[0].highest, 4);
  EXPECT_DOUBLE_EQ(columns[0].mean, 2);
  EXPECT_EQ(columns[0].last_step, 3);
  EXPECT_FALSE(columns[0].after_gap);
  EXPECT_TRUE(columns[1].after_gap);
  EXPECT_TRUE(std::isfinite(columns[1].mean));
}

TEST(ReportTest, TicksOfStepsAreShort) {
  EXPECT_EQ(tools::StepTickText(800, 200), "800");
  EXPECT_EQ(tools::StepTickText(2500, 500), "2500");
  EXPECT_EQ(tools::StepTickText(20000, 5000), "20k");
  EXPECT_EQ(tools::StepTickText(0, 5000), "0");
  EXPECT_EQ(tools::StepTickText(1200000, 200000), "1.2M");
}

}  // namespace
}  // namespace accel::testing
