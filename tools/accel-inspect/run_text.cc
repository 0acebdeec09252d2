// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of the record, a table of the checkpoints, and what is wrong with them.
#include "tools/accel-inspect/run_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "tools/accel-inspect/metrics_summary.h"
#include "tools/accel-inspect/text_table.h"

namespace accel::tools {
namespace {

constexpr size_t kShownDigits = 16;  // of a hash

std::string Row(absl::string_view name, absl::string_view value) {
  return value.empty() ? "" : absl::StrFormat("  %-11s  %s\n", name, value);
}

// ", WORD VALUE" if there is a value.
std::string Also(absl::string_view word, const std::string& value) {
  return value.empty() ? "" : absl::StrCat(", ", word, " ", value);
}

std::string Digits(const std::string& hash) {
  return hash.substr(0, kShownDigits);
}

std::string RecordText(const RunRecord& record) {
  const std::string plan = record.Find("plan");
  const std::string resumed = record.Find("resumed.step");
  std::string text;
  absl::StrAppend(
      &text, Row("model", record.Find("model")),
      Row("plan", absl::StrCat(plan.empty() ? "" : absl::StrCat(plan, ", "),
                               "sha256 ", Digits(record.Find("plan_sha256")))),
      Row("data",
          absl::StrCat("sha256 ", Digits(record.Find("data_sha256")),
                       Also("seed", record.Find("seed")),
                       record.Find("shuffle") == "false" ? ", in order" : "")),
      Row("weights", record.Find("weights")),
      Row("started",
          absl::StrCat(record.Find("started"),
                       Also("up to step", record.Find("steps")),
                       Also("global batch", record.Find("global_batch")),
                       Also("ranks", record.Find("ranks")))),
      Row("resumed", resumed.empty()
                         ? ""
                         : absl::StrCat("behind step ", resumed, ", from '",
                                        record.Find("resumed.from"), "'")));
  return text;
}

std::string StepsText(const RunContents& run) {
  if (!run.steps.ok()) {
    return Row("steps", run.steps.status().message());
  }
  if (run.steps->empty()) {
    return Row("steps", "none yet");
  }
  const MetricsStep& last = run.steps->back();
  return absl::StrCat(
      Row("steps", absl::StrCat(last.step, ", the last at ", last.time)),
      Row("loss", LossText(RangeOf(*run.steps, &MetricsStep::loss))));
}

std::string StateOf(const FoundCheckpoint& checkpoint,
                    runtime::DamageSearch search) {
  if (!checkpoint.IsIntact()) {
    return "damaged";
  }
  return search == runtime::DamageSearch::kData ? "intact, all of it read"
                                                : "intact, headers read";
}

std::string CheckpointsText(const RunContents& run, size_t width) {
  if (run.checkpoints.empty()) {
    return Row("checkpoints", "none");
  }
  TextTable table({{.header = "checkpoint", .gap = 2},
                   {.header = "samples", .numbers = true, .gap = 2},
                   {.header = "ranks", .numbers = true, .gap = 2},
                   {.header = "size", .numbers = true, .gap = 2},
                   {.header = "state", .gap = 2}});
  std::string faults;
  for (const FoundCheckpoint& each : run.checkpoints) {
    const std::string step = absl::StrCat("step ", each.step);
    const std::string state = StateOf(each, run.search);
    table.AddRow(
        each.manifest
            ? std::vector<std::string>{step,
                                       runtime::FormatCount(
                                           each.manifest->samples),
                                       absl::StrCat(each.manifest->ranks),
                                       runtime::FormatBytes(each.Bytes()),
                                       state}
            : std::vector<std::string>{step, "", "", "", state});
    for (const std::string& fault : each.faults) {
      absl::StrAppend(&faults, "step ", each.step, ": ", fault, "\n");
    }
  }
  const FoundCheckpoint* newest = run.NewestIntact();
  return absl::StrCat(
      Row("checkpoints",
          absl::StrCat(run.checkpoints.size(), ", the newest intact one ",
                       newest == nullptr
                           ? "is none of them"
                           : absl::StrCat("of step ", newest->step))),
      "\n", table.Text(width), faults.empty() ? "" : "\n", faults);
}

}  // namespace

std::string RunText(const RunContents& run, size_t width) {
  return absl::StrCat("run ", run.path, "\n",
                      run.record.ok()
                          ? RecordText(*run.record)
                          : Row("record", run.record.status().message()),
                      StepsText(run), CheckpointsText(run, width));
}

}  // namespace accel::tools
