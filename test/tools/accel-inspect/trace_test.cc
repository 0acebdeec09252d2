// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace of known times becomes known medians, sums, rates and shares.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "test/runtime/status_matchers.h"
#include "tools/accel-inspect/trace_file.h"
#include "tools/accel-inspect/trace_profile.h"
#include "tools/accel-inspect/trace_text.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tools::ParseTrace;
using tools::ProfileTrace;
using tools::TraceProfile;

constexpr char kRoofline[] =
    R"(,"roofline":{"flops_per_second":1e11,"bytes_per_second":1e10})";

// One execution: 1000 us are 1 ms.
struct Execution {
  std::string name;
  std::string phase;
  std::string module;
  int instruction = 0;
  int step = 1;
  int begin_us = 0;
  int us = 0;
  int stream = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
  int roofline_us = 0;
  int rank = 0;
};

std::string Json(const Execution& run) {
  return absl::StrCat(
      R"({"ph":"X","name":")", run.name, R"(","cat":")", run.phase,
      R"(","pid":)", run.rank, R"(,"tid":)", run.stream, R"(,"ts":)",
      run.begin_us, R"(.000,"dur":)", run.us, R"(.000,"args":{"instruction":)",
      run.instruction, R"(,"step":)", run.step, R"(,"flops":)", run.flops,
      R"(,"bytes":)", run.bytes,
      run.roofline_us == 0
          ? ""
          : absl::StrCat(R"(,"roofline_us":)", run.roofline_us),
      run.module.empty() ? ""
                         : absl::StrCat(R"(,"module":")", run.module, "\""),
      "}}");
}

std::string Trace(const std::vector<Execution>& runs,
                  const std::string& roofline) {
  return absl::StrCat(
      R"({"otherData":{"format":"accel-run trace","version":2,)",
      R"("producer":"accel-run 1","model":"gpt","ranks":1,"threads":2)",
      roofline,
      R"(},"traceEvents":[{"ph":"M","name":"thread_name","pid":0,"tid":0,)",
      R"("args":{"name":"compute"}},)",
      absl::StrJoin(runs, ",",
                    [](std::string* out, const Execution& run) {
                      out->append(Json(run));
                    }),
      "]}");
}

// Three steps of 10, 20 and 10 ms. Both layers do the same; the product runs
// twice in a step, once per microbatch.
std::vector<Execution> ThreeSteps() {
  std::vector<Execution> runs;
  for (int step = 1; step <= 3; ++step) {
    const int at = step * 1'000'000;
    const int slow = step == 2 ? 10'000 : 0;
    runs.push_back({"gemm", "forward", "h.0.mlp", 1, step, at, 1000, 0,
                    50'000'000, 1'000'000, 500});
    runs.push_back({"gemm", "forward", "h.0.mlp", 1, step, at + 1000, 1000, 0,
                    50'000'000, 1'000'000, 500});
    runs.push_back({"gemm", "forward", "h.1.mlp", 2, step, at + 2000,
                    2000 + slow, 0, 100'000'000, 2'000'000, 1000});
    runs.push_back({"norm", "backward", "h.1", 3, step, at + 4000 + slow, 2000,
                    0, 0, 5'000'000, 500});
    runs.push_back({"adam", "update", "", 4, step, at + 9000 + slow, 1000, 0, 0,
                    10'000'000, 1000});
    runs.push_back({"fetch", "load", "", 5, step, at + 500, 100, 1, 0, 64});
  }
  return runs;
}

TraceProfile ProfileOf(const std::vector<Execution>& runs, bool fold = true,
                       const std::string& roofline = kRoofline) {
  const auto trace = ParseTrace(Trace(runs, roofline));
  EXPECT_OK(trace);
  tools::ProfileOptions options;
  options.fold = fold;
  const auto profile = ProfileTrace(*trace, options);
  EXPECT_OK(profile);
  return *profile;
}

// The slow second step is in no median.
TEST(TraceTest, ItReadsLikeThis) {
  EXPECT_EQ(tools::TraceText(ProfileOf(ThreeSteps()), 2, 120),
            R"(trace of gpt: rank 0, 2 threads, 3 steps, 10 ms a step (median)
roofline, measured: 100.0 GFLOP/s, 10.00 GB/s

stream compute, milliseconds of a step (medians)
module      runs  forward  backward  update     ms   share  GFLOP/s   GB/s  of roofline
h.* (2)        4     4.00      2.00           6.00   60.0%    33.33   1.50        41.7%
  (itself)     1               2.00           2.00   20.0%            2.50        25.0%
  mlp          3     4.00                     4.00   40.0%    50.00   1.00        50.0%
(update)       1                       1.00   1.00   10.0%           10.00       100.0%
waiting                                       3.00   30.0%
total          5     4.00      2.00    1.00  10.00  100.0%    20.00   1.90        35.0%

its most expensive instructions, 2 of 3
  ms  share  GFLOP/s  GB/s  of roofline  runs  phase     module   instruction
4.00  40.0%    50.00  1.00        50.0%     3  forward   h.*.mlp  gemm
2.00  20.0%           2.50        25.0%     1  backward  h.*      norm

stream 1, milliseconds of a step (medians)
module   runs  other     ms   share  GB/s
(load)      1   0.10   0.10    1.0%  0.00
waiting                9.90   99.0%
total       1   0.10  10.00  100.0%  0.00

its most expensive instructions, 1 of 1
  ms  share  GB/s  runs  phase  module  instruction
0.10   1.0%  0.00     1  load   (load)  fetch
)");
}

TEST(TraceTest, WithoutFoldingLayersAndInstructionsStandAlone) {
  const TraceProfile profile = ProfileOf(ThreeSteps(), false);
  std::vector<std::string> modules;
  for (const auto& row : profile.streams[0].modules) {
    modules.push_back(absl::StrCat(row.module, " ", row.layers));
  }
  EXPECT_THAT(modules,
              ::testing::ElementsAre("h.0 1", "h.0.mlp 1", "h.1 1", "h.1 1",
                                     "h.1.mlp 1", "(update) 1"));
  EXPECT_EQ(profile.streams[0].groups.size(), 4u);
}

TEST(TraceTest, OfAGpuItNamesTheCardAndNoPeak) {
  std::vector<Execution> runs = ThreeSteps();
  for (Execution& run : runs) {
    run.roofline_us = 0;
  }
  const std::string gpu = R"(,"gpu":"A card, sm_90")";
  const std::string text = tools::TraceText(ProfileOf(runs, true, gpu), 2, 120);
  EXPECT_THAT(text, HasSubstr(": rank 0, A card, sm_90, 3 steps, "));
  EXPECT_THAT(text, HasSubstr("\ntimes by the GPU's clock; what it can do at "
                              "most is not measured\n"));
  EXPECT_THAT(text, HasSubstr("GFLOP/s"));
  EXPECT_THAT(text, Not(HasSubstr("roofline")));
}

TEST(TraceTest, WithoutARooflineItSaysWhatWouldAddOne) {
  std::vector<Execution> runs = ThreeSteps();
  for (Execution& run : runs) {
    run.roofline_us = 0;
  }
  const std::string text = tools::TraceText(ProfileOf(runs, true, ""), 2, 120);
  EXPECT_THAT(text, HasSubstr("\nno roofline was measured: accel-run --profile "
                              "adds shares of it\n"));
  EXPECT_THAT(text, Not(HasSubstr("of roofline")));
  EXPECT_THAT(text, HasSubstr("  50.00  1.00"));  // rates are there
}

TEST(TraceTest, ProgramsReadTheSame) {
  const auto json =
      nlohmann::json::parse(tools::TraceJson(ProfileOf(ThreeSteps())));
  EXPECT_EQ(json["version"], 2);
  EXPECT_DOUBLE_EQ(json["step_ms"].get<double>(), 10);
  EXPECT_EQ(json["roofline"]["flops_per_second"], 1e11);
  const auto& stream = json["streams"][0];
  EXPECT_EQ(stream["name"], "compute");
  EXPECT_DOUBLE_EQ(stream["busy_ms"].get<double>(), 7);
  EXPECT_DOUBLE_EQ(stream["waiting_ms"].get<double>(), 3);
  EXPECT_EQ(stream["modules"][0]["module"], "h.*");
  EXPECT_EQ(stream["modules"][0]["layers"], 2);
  EXPECT_DOUBLE_EQ(stream["modules"][0]["roofline_ms"].get<double>(), 2.5);
  EXPECT_EQ(stream["instructions"][0]["name"], "gemm");
  EXPECT_DOUBLE_EQ(stream["instructions"][0]["ms"].get<double>(), 4);
  EXPECT_TRUE(json["streams"][1]["modules"][0]["roofline_ms"].is_null());
}

// Each rank has its own table; a rank that is not there is named.
TEST(TraceTest, RanksAreShownOneAtATime) {
  std::vector<Execution> runs = ThreeSteps();
  runs.push_back({"gemm", "forward", "", 1, 1, 7000, 500});
  runs.back().rank = 3;
  ASSERT_OK_AND_ASSIGN(const auto trace, ParseTrace(Trace(runs, kRoofline)));
  tools::ProfileOptions options;
  ASSERT_OK_AND_ASSIGN(const TraceProfile first, ProfileTrace(trace, options));
  EXPECT_THAT(tools::TraceText(first, 0, 120),
              HasSubstr("the trace has ranks 0, 3; --rank N shows another\n"));
  options.rank = 3;
  ASSERT_OK_AND_ASSIGN(const TraceProfile third, ProfileTrace(trace, options));
  EXPECT_EQ(third.rank, 3u);
  EXPECT_DOUBLE_EQ(third.streams[0].busy.forward_ns, 500'000);
  EXPECT_EQ(third.streams[0].modules[0].label, "(no module)");
  options.rank = 1;
  EXPECT_THAT(ProfileTrace(trace, options),
              StatusIs(absl::StatusCode::kNotFound,
                       "--rank: expected a rank of the trace (0, 3), got 1; "
                       "ranks that are processes write files of their own, "
                       "FILE.rank-N"));
}

// Each field of each event, left out and made something else.
TEST(TraceTest, DamagedTracesAreRefused) {
  const std::string good = Trace({ThreeSteps()[0]}, kRoofline);
  const auto json = nlohmann::json::parse(good);
  const auto expect_refused = [](const nlohmann::json& damaged) {
    EXPECT_THAT(ParseTrace(damaged.dump()), Not(IsOk())) << damaged.dump();
  };
  for (const char* path : {"/otherData",
                           "/otherData/format",
                           "/otherData/version",
                           "/otherData/model",
                           "/otherData/threads",
                           "/otherData/roofline/flops_per_second",
                           "/otherData/roofline/bytes_per_second",
                           "/traceEvents",
                           "/traceEvents/0/tid",
                           "/traceEvents/0/args/name",
                           "/traceEvents/1/ph",
                           "/traceEvents/1/name",
                           "/traceEvents/1/cat",
                           "/traceEvents/1/pid",
                           "/traceEvents/1/tid",
                           "/traceEvents/1/ts",
                           "/traceEvents/1/dur",
                           "/traceEvents/1/args",
                           "/traceEvents/1/args/instruction",
                           "/traceEvents/1/args/step",
                           "/traceEvents/1/args/flops",
                           "/traceEvents/1/args/bytes",
                           "/traceEvents/1/args/roofline_us",
                           "/traceEvents/1/args/module"}) {
    const nlohmann::json::json_pointer pointer(path);
    for (const nlohmann::json& bad :
         {nlohmann::json(-1), nlohmann::json::array(), nlohmann::json(1e300)}) {
      nlohmann::json damaged = json;
      damaged[pointer] = bad;
      const bool rate =
          std::string(path).find("per_second") != std::string::npos ||
          std::string(path).find("roofline_us") != std::string::npos;
      if (!(rate && bad == 1e300)) {  // a fast machine
        expect_refused(damaged);
      }
    }
  }
  for (size_t length = 0; length < good.size(); length += 7) {
    EXPECT_THAT(ParseTrace(good.substr(0, length)), Not(IsOk()));
  }
}

TEST(TraceTest, RefusalsSayWhatToDo) {
  const std::string good = Trace({ThreeSteps()[0]}, kRoofline);
  EXPECT_THAT(
      ParseTrace(absl::StrReplaceAll(good, {{"\"dur\":1000", "\"dur\":-1"}})),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "event 1: expected microseconds as 'dur', got -1.0; the file "
               "was damaged or changed, write the trace anew"));
  EXPECT_THAT(
      ParseTrace(
          absl::StrReplaceAll(good, {{"\"version\":2", "\"version\":3"}})),
      StatusIs(absl::StatusCode::kUnimplemented,
               "expected version 2 of a trace, got 3, written by \"accel-run "
               "1\"; use the accel-inspect of that release"));
  EXPECT_THAT(ParseTrace(R"({"traceEvents":[]})"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected a trace of accel-run, got other "
                                 "JSON; accel-run PLAN --profile")));
}

}  // namespace
}  // namespace accel::testing
