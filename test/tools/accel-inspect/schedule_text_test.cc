// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams of a plan side by side: rows, columns, folds and widths.
#include "tools/accel-inspect/schedule_text.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"
#include "tools/accel-inspect/schedule.h"
#include "tools/accel-inspect/schedule_json.h"
#include "tools/accel-inspect/text_table.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string StepText(const SamplePlan& plan, bool fold, size_t width) {
  const auto view = ViewOf(plan);
  EXPECT_OK(view);
  const auto layout =
      runtime::MemoryLayout::Create(*view, runtime::RankBinding());
  EXPECT_OK(layout);
  const auto text = tools::ScheduleText(
      *view, *view->FindFunction(planpb::FUNCTION_STEP), *layout, fold, width);
  EXPECT_OK(text);
  return *text;
}

// All of it, so that any change is seen.
TEST(ScheduleTextTest, ItReadsLikeThis) {
  EXPECT_EQ(
      StepText(MakeSamplePlan(), true, 100),
      R"(function 'step', 17 instructions, 4 events (5> waits for event 5, >5 signals it)
          compute instr FLOP             communication bytes
 load
        0 block0      3                3 fetch               >0
each microbatch
 forward
0 2-1>  6 block0      2          1-1>  5 fetch next          >2
 backward
        8 block0      2      >1
after the last microbatch
 update
       10 block0      1      >3
       11 block0      1            3> 12 5 metrics
)");
}

TEST(ScheduleTextTest, InFullEveryInstructionHasItsRow) {
  EXPECT_EQ(
      StepText(MakeSamplePlan(), false, 100),
      R"(function 'step', 17 instructions, 4 events (5> waits for event 5, >5 signals it)
          compute       FLOP             communication         bytes
 load
        0 fill gradient                3 fetch                       >0
        1 fill loss_sum
        2 fill count
each microbatch
 forward
0 2-1>  6 predict                1-1>  5 fetch next                  >2
        7 residual
 backward
        8 scale
        9 gradient           >1
after the last microbatch
 update
       10 finish             >3
       11 update                   3> 12 metric loss
                                      13 metric tokens
                                      14 metric gradient_scale
                                      15 metric lr
                                      16 metric grad_norm
)");
}

// An item never begins before what it waits for has been signalled above it.
TEST(ScheduleTextTest, RowsKeepTheOrderOfEventsAndStreams) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(MakeSamplePlan()));
  ASSERT_OK_AND_ASSIGN(const auto layout, runtime::MemoryLayout::Create(
                                              view, runtime::RankBinding()));
  const runtime::FunctionView& step = *view.FindFunction(planpb::FUNCTION_STEP);
  for (const bool fold : {true, false}) {
    ASSERT_OK_AND_ASSIGN(const tools::Schedule schedule,
                         tools::MakeSchedule(view, step, layout, fold));
    std::vector<size_t> row_of(step.instructions().size(), 0);
    for (size_t i = 0; i < schedule.rows.size(); ++i) {
      const tools::ScheduleRow& row = schedule.rows[i];
      for (size_t stream = 0; stream < row.items.size(); ++stream) {
        if (row.items[stream]) {
          for (const auto* instruction :
               schedule.streams[stream][*row.items[stream]].instructions) {
            row_of[instruction->id()] = i + 1;
          }
        }
      }
    }
    for (const planpb::Instruction& instruction : step.instructions()) {
      EXPECT_EQ(row_of[instruction.id()] != 0, !instruction.has_repeat());
      for (const planpb::Wait& wait : instruction.waits()) {
        if (wait.distance() == 0) {
          EXPECT_LT(row_of[step.SignallerOf(wait.event())],
                    row_of[instruction.id()]);
        }
      }
    }
  }
}

// What is gathered has a column; a plan that gathers nothing has none.
TEST(ScheduleTextTest, GatheredMemoryHasAColumn) {
  const std::string text = StepText(MakeShardedPlan(10), false, 100);
  EXPECT_THAT(text, HasSubstr("bytes     gathered\n"));
  EXPECT_THAT(text, HasSubstr("17 gather                 40 B     gathered\n"
                              "                                      "
                              "18 look                            gathered\n"
                              "                                      "
                              "19 scatter                40 B\n"));
  EXPECT_THAT(text, HasSubstr("\nat most 1 gathered bucket alive, the largest "
                              "40 bytes\n"));
  EXPECT_THAT(StepText(MakeSamplePlan(), false, 100),
              Not(HasSubstr("gathered")));
}

TEST(ScheduleTextTest, ProgramsReadTheSame) {
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(MakeShardedPlan(10)));
  ASSERT_OK_AND_ASSIGN(const auto layout, runtime::MemoryLayout::Create(
                                              view, runtime::RankBinding()));
  const runtime::FunctionView& step = *view.FindFunction(planpb::FUNCTION_STEP);
  ASSERT_OK_AND_ASSIGN(const nlohmann::ordered_json json,
                       tools::ScheduleJson(view, step, layout));
  ASSERT_EQ(json["instructions"].size(), step.instructions().size());
  const auto& predict = json["instructions"][6];
  EXPECT_EQ(predict["name"], "predict");
  EXPECT_EQ(predict["stream"], "compute");
  EXPECT_EQ(predict["phase"], "forward");
  EXPECT_EQ(predict["waits"][1]["event"], 2);
  EXPECT_EQ(predict["waits"][1]["distance"], 1);
  EXPECT_EQ(predict["buckets"], nlohmann::ordered_json({"block0"}));
  EXPECT_EQ(json["instructions"][4]["stream"], nullptr);  // the repeat
  EXPECT_EQ(json["gathered"]["most_in_program_order"], 1);
  EXPECT_EQ(json["gathered"]["most_in_any_timing"], 1);
  EXPECT_EQ(json["gathered"]["largest_bytes"], 40);
  size_t shown = 0;
  size_t gathered = 0;
  for (const auto& row : json["rows"]) {
    shown += row["compute"].size() + row["communication"].size();
    gathered += row["gathered"].size();
  }
  EXPECT_EQ(shown, step.instructions().size() - 1);
  EXPECT_EQ(gathered, 2u);  // while it is gathered, and while it is copied
}

// Whatever the width: no blanks at the end; cut only down to what is readable.
TEST(TextTableTest, ColumnsGiveWay) {
  tools::TextTable table(
      {{.header = "name", .least = 5}, {.header = "n", .numbers = true}, {}});
  table.AddRow({"a", "1", ""});
  table.AddRow({"reduce_scatter", "22", "x"});
  table.AddHeading("heading");
  EXPECT_EQ(table.Text(100),
            "name            n\n"
            "a               1\n"
            "reduce_scatter 22 x\n"
            "heading\n");
  EXPECT_EQ(table.Text(12),
            "name     n\n"
            "a        1\n"
            "red~ter 22 x\n"
            "heading\n");
  EXPECT_EQ(table.Text(1),
            "name   n\n"
            "a      1\n"
            "re~er 22 x\n"
            "heading\n");
}

TEST(TextTableTest, NamesAreCutInTheirMiddle) {
  EXPECT_EQ(tools::CutInMiddle("all_gather block1", 17), "all_gather block1");
  EXPECT_EQ(tools::CutInMiddle("all_gather block1", 12), "all_ga~lock1");
  EXPECT_EQ(tools::CutInMiddle("abc", 1), "~");
  EXPECT_THAT(tools::CutInMiddle("abc", 0), IsEmpty());
}

}  // namespace
}  // namespace accel::testing
