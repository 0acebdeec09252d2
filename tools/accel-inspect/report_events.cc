// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read off the order of steps, the counters and the names of checkpoints.
#include "tools/accel-inspect/report_events.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/format.h"
#include "runtime/base/wall_clock.h"

namespace accel::tools {
namespace {

using Kind = ReportEvent::Kind;

std::string StepsText(int64_t first, int64_t last) {
  return first == last ? absl::StrCat("step ", first)
                       : absl::StrCat("steps ", first, " to ", last);
}

// Whether a step changed no weight. The counter says so, where the one of the
// step before it is known; the loss tells otherwise.
bool WasSkipped(const MetricsStep* before, const MetricsStep& step) {
  const double known = before == nullptr ? (step.step == 1 ? 0 : std::nan(""))
                                         : before->skipped_steps;
  const double difference = step.skipped_steps - known;
  return std::isnan(difference) ? !std::isfinite(step.loss) : difference > 0;
}

// An overflow of a gradient at a scale that can be lowered.
bool IsHarmlessOverflow(const MetricsStep& step) {
  return std::isfinite(step.loss) && step.loss_scale > 1;
}

class EventCollector {
 public:
  explicit EventCollector(const RunReport& run) : run_(run) {}

  std::vector<ReportEvent> Collect() {
    for (size_t i = 0; i < run_.parts.size(); ++i) {
      AddBeginning(i);
      AddSkipped(i);
    }
    AddCheckpoints();
    AddEnd();
    std::stable_sort(events_.begin(), events_.end(),
                     [](const ReportEvent& a, const ReportEvent& b) {
                       return a.last_step < b.last_step;
                     });
    return std::move(events_);
  }

 private:
  void Add(Kind kind, int64_t first, int64_t last, const std::string& time,
           std::string text) {
    events_.push_back({kind, first, last, time, std::move(text)});
  }

  // How a part lies to the one before it.
  void AddBeginning(size_t part);
  void AddSkipped(size_t part);
  void AddCheckpoints();
  void AddEnd();

  const RunReport& run_;
  std::vector<ReportEvent> events_;
};

void EventCollector::AddBeginning(size_t part) {
  const MetricsStep& first = run_.steps[run_.parts[part].begin];
  const std::string by = absl::StrCat("run ", run_.parts[part].id);
  if (part == 0) {
    Add(Kind::kStart, first.step, first.step, first.time,
        absl::StrCat(by, " begins with step ", first.step));
    return;
  }
  const MetricsStep& before = run_.steps[run_.parts[part].begin - 1];
  const int64_t expected = before.step + 1;
  if (first.step > expected) {
    Add(Kind::kGap, expected, first.step - 1, "",
        absl::StrCat("the metrics do not have ",
                     StepsText(expected, first.step - 1)));
  } else if (first.step < expected) {
    const int64_t last =
        std::min(before.step, run_.steps[run_.parts[part].end - 1].step);
    Add(Kind::kRepeat, first.step, last, first.time,
        absl::StrCat("the metrics have ", StepsText(first.step, last),
                     " once more"));
  }
  const int64_t passed_ns = runtime::ParseUtc(first.time).value_or(0) -
                            runtime::ParseUtc(before.time).value_or(0);
  Add(Kind::kResume, first.step, first.step, first.time,
      absl::StrCat(by, " goes on with step ", first.step,
                   passed_ns < 0
                       ? ""
                       : absl::StrCat(", which ended ",
                                      runtime::FormatDuration(
                                          std::chrono::nanoseconds(passed_ns)),
                                      " after step ", before.step)));
}

void EventCollector::AddSkipped(size_t part) {
  const auto& [id, begin, end] = run_.parts[part];
  size_t first = end;  // of the steps in a row
  for (size_t i = begin; i <= end; ++i) {
    const bool follows =
        i > 0 && i < end && run_.steps[i - 1].step + 1 == run_.steps[i].step;
    const bool skipped =
        i < end &&
        WasSkipped(follows ? &run_.steps[i - 1] : nullptr, run_.steps[i]);
    if (skipped) {
      first = std::min(first, i);
      continue;
    }
    if (first != end) {
      const int64_t last = run_.steps[i - 1].step;
      Add(Kind::kSkipped, run_.steps[first].step, last, run_.steps[i - 1].time,
          absl::StrCat(StepsText(run_.steps[first].step, last),
                       first == i - 1 ? " was" : " were",
                       " not finite and changed no weight"));
    }
    first = end;
  }
}

void EventCollector::AddCheckpoints() {
  if (run_.checkpoints.empty()) {
    return;
  }
  // Of the last time that a step was taken.
  std::vector<const MetricsStep*> by_step(run_.steps.size());
  for (size_t i = 0; i < run_.steps.size(); ++i) {
    by_step[i] = &run_.steps[i];
  }
  std::stable_sort(by_step.begin(), by_step.end(),
                   [](const MetricsStep* a, const MetricsStep* b) {
                     return a->step < b->step;
                   });
  for (const int64_t step : run_.checkpoints) {
    const auto behind = std::upper_bound(
        by_step.begin(), by_step.end(), step,
        [](int64_t a, const MetricsStep* b) { return a < b->step; });
    const bool known = behind != by_step.begin() && behind[-1]->step == step;
    Add(Kind::kCheckpoint, step, step, known ? behind[-1]->time : "",
        absl::StrFormat("there is a checkpoint: checkpoints/step-%08d", step));
  }
}

void EventCollector::AddEnd() {
  const MetricsStep& last = run_.steps.back();
  const ReportedRecord& record = run_.record;
  const bool is_recorded = record.run == run_.parts.back().id;
  if (!events_.empty() && is_recorded && record.halts &&
      !IsHarmlessOverflow(last)) {
    const bool skipped = std::any_of(
        events_.begin(), events_.end(), [&last](const ReportEvent& event) {
          return event.kind == Kind::kSkipped && event.last_step == last.step;
        });
    if (skipped) {
      Add(Kind::kHalt, last.step, last.step, last.time,
          absl::StrCat("the run halts at step ", last.step,
                       ", as its loss or gradient was not finite"));
    }
  }
  Add(Kind::kEnd, last.step, last.step, last.time,
      absl::StrCat("the last step of the metrics is step ", last.step,
                   is_recorded && record.steps > 0
                       ? absl::StrCat(" of ", record.steps)
                       : ""));
}

}  // namespace

std::vector<ReportEvent> EventsOf(const RunReport& run) {
  return EventCollector(run).Collect();
}

}  // namespace accel::tools
