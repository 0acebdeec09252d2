// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions become items, a list per stream; items become rows.
#include "tools/accel-inspect/schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/cost/instruction_cost.h"
#include "tools/accel-inspect/instruction_buckets.h"

namespace accel::tools {
namespace {

using Buckets = std::vector<uint32_t>;
using planpb::Instruction;

bool IsKernel(const Instruction& instruction) {
  return instruction.has_launch() || instruction.has_fill() ||
         instruction.has_copy() || instruction.has_load();
}

// Forward and backward are read bucket by bucket; the other phases touch all.
bool GoesBucketByBucket(const Instruction& instruction) {
  return instruction.phase() == planpb::PHASE_FORWARD ||
         instruction.phase() == planpb::PHASE_BACKWARD;
}

Buckets Both(const Buckets& a, const Buckets& b) {
  Buckets both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(both));
  return both;
}

// The item's buckets after `instruction` has joined it; nothing if it may not.
// A kernel at the border of two buckets belongs to the item that it follows.
std::optional<Buckets> Join(const ScheduleItem& item,
                            const Instruction& instruction,
                            const Buckets& buckets) {
  const Instruction& last = *item.instructions.back();
  if (!instruction.waits().empty() || last.phase() != instruction.phase()) {
    return std::nullopt;
  }
  if (last.has_metric() && instruction.has_metric() && item.signals.empty()) {
    return Buckets();
  }
  if (last.has_collective() && instruction.has_collective()) {
    const planpb::Collective& a = last.collective();
    const planpb::Collective& b = instruction.collective();
    const bool same = a.kind() == b.kind() && a.bucket_plus_one() != 0 &&
                      a.bucket_plus_one() == b.bucket_plus_one();
    return same ? std::optional<Buckets>(buckets) : std::nullopt;
  }
  if (!IsKernel(last) || !IsKernel(instruction) || !item.signals.empty()) {
    return std::nullopt;
  }
  if (buckets.empty() || item.buckets.empty()) {
    return buckets.empty() ? item.buckets : buckets;
  }
  if (GoesBucketByBucket(instruction)) {
    Buckets both = Both(item.buckets, buckets);
    return both.empty() ? std::nullopt : std::optional<Buckets>(both);
  }
  Buckets all;
  std::set_union(item.buckets.begin(), item.buckets.end(), buckets.begin(),
                 buckets.end(), std::back_inserter(all));
  return all;
}

void Append(const Instruction& instruction, ScheduleItem& item) {
  item.instructions.push_back(&instruction);
  item.waits.insert(item.waits.end(), instruction.waits().begin(),
                    instruction.waits().end());
  item.signals.insert(item.signals.end(), instruction.signals().begin(),
                      instruction.signals().end());
  item.flops += runtime::FlopsOf(instruction);
}

void MakeItems(const runtime::PlanView& plan,
               const runtime::FunctionView& function, bool fold,
               Schedule& schedule) {
  schedule.streams.resize(plan.manifest().streams_size());
  uint32_t section = 0;
  std::optional<uint32_t> repeat;
  for (const Instruction& instruction : function.instructions()) {
    if (instruction.has_repeat()) {
      ++section;
      continue;
    }
    if (repeat && !function.RepeatOf(instruction.id())) {
      ++section;
    }
    repeat = function.RepeatOf(instruction.id());
    std::vector<ScheduleItem>& items = schedule.streams[instruction.stream()];
    const Buckets& buckets = schedule.buckets[instruction.id()];
    std::optional<Buckets> joined;
    if (fold && !items.empty() && items.back().section == section) {
      joined = Join(items.back(), instruction, buckets);
    }
    if (!joined) {
      ScheduleItem& item = items.emplace_back();
      item.section = section;
      item.repeated = repeat.has_value();
    }
    items.back().buckets = joined ? *joined : buckets;
    Append(instruction, items.back());
  }
}

// Runs the streams row by row.
class RowMaker {
 public:
  RowMaker(const runtime::FunctionView& function, Schedule& schedule)
      : function_(function),
        schedule_(schedule),
        next_(schedule.streams.size()),
        signalled_(function.event_count()),
        row_of_(function.instructions().size()) {}

  absl::Status Run() {
    while (const ScheduleItem* first = FirstItem()) {
      RETURN_IF_ERROR(AddRow(*first));
    }
    return absl::OkStatus();
  }

  // Of each instruction.
  const std::vector<size_t>& row_of() const { return row_of_; }

 private:
  const ScheduleItem* Next(size_t stream) const {
    const std::vector<ScheduleItem>& items = schedule_.streams[stream];
    return next_[stream] < items.size() ? &items[next_[stream]] : nullptr;
  }

  // The next item of the earliest section; null at the end.
  const ScheduleItem* FirstItem() const {
    const ScheduleItem* first = nullptr;
    for (size_t stream = 0; stream < next_.size(); ++stream) {
      const ScheduleItem* item = Next(stream);
      if (item != nullptr &&
          (first == nullptr || item->section < first->section)) {
        first = item;
      }
    }
    return first;
  }

  bool IsReady(const ScheduleItem* item, uint32_t section) const {
    if (item == nullptr || item->section != section) {
      return false;
    }
    return std::all_of(
        item->waits.begin(), item->waits.end(), [&](const auto& wait) {
          return function_.RequiredCount(wait, item->instructions[0]->id(), 0,
                                         1) == 0 ||
                 signalled_[wait.event()];
        });
  }

  void Finish(const ScheduleItem& item) {
    for (const uint32_t event : item.signals) {
      signalled_[event] = true;
    }
    for (const Instruction* instruction : item.instructions) {
      row_of_[instruction->id()] = schedule_.rows.size();
    }
  }

  absl::Status AddRow(const ScheduleItem& first) {
    ScheduleRow row;
    row.section = first.section;
    row.repeated = first.repeated;
    row.items.resize(next_.size());
    std::vector<const ScheduleItem*> ready;
    for (size_t stream = 0; stream < next_.size(); ++stream) {
      const ScheduleItem* item = Next(stream);
      if (IsReady(item, row.section)) {
        row.items[stream] = next_[stream];
        ready.push_back(item);
      }
    }
    // What a stream signals in this row the others see below it.
    for (size_t stream = 0; stream < next_.size(); ++stream) {
      next_[stream] += row.items[stream] ? 1 : 0;
    }
    for (const ScheduleItem* item : ready) {
      Finish(*item);
    }
    schedule_.rows.push_back(std::move(row));
    if (!ready.empty()) {
      return absl::OkStatus();
    }
    return absl::InternalError(
        absl::StrCat("function '", function_.name(), "': instruction ",
                     first.instructions[0]->id(), " waits for ever"));
  }

  const runtime::FunctionView& function_;
  Schedule& schedule_;
  std::vector<size_t> next_;  // item, per stream
  std::vector<bool> signalled_;
  std::vector<size_t> row_of_;
};

// Who is alive at `position`, where segment i is from begins[i] to ends[i].
std::vector<std::string> AliveAt(
    const std::vector<runtime::GatheredSegment>& segments,
    const std::vector<std::pair<size_t, size_t>>& lives, size_t position) {
  std::vector<const runtime::GatheredSegment*> alive;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (lives[i].first <= position && position <= lives[i].second) {
      alive.push_back(&segments[i]);
    }
  }
  return runtime::GatheredBuckets(alive);
}

void AddGathered(const runtime::FunctionView& function,
                 const std::vector<runtime::GatheredSegment>& segments,
                 const std::vector<size_t>& row_of, Schedule& schedule) {
  std::vector<std::pair<size_t, size_t>> in_order;
  std::vector<std::pair<size_t, size_t>> in_rows;
  for (const runtime::GatheredSegment& segment : segments) {
    in_order.emplace_back(segment.first, segment.last);
    const size_t first = row_of[segment.gather->id()];
    size_t last = first;
    for (const runtime::Instance& read : segment.reads) {
      last = std::max(last, row_of[read.instruction->id()]);
    }
    in_rows.emplace_back(first, last);
  }
  for (size_t row = 0; row < schedule.rows.size(); ++row) {
    schedule.rows[row].gathered = AliveAt(segments, in_rows, row);
  }
  size_t position = 0;
  for (const Instruction& instruction : function.instructions()) {
    if (instruction.has_repeat()) {
      schedule.gathered.emplace_back();
      continue;
    }
    schedule.gathered.push_back(AliveAt(segments, in_order, position++));
  }
}

}  // namespace

absl::StatusOr<Schedule> MakeSchedule(const runtime::PlanView& plan,
                                      const runtime::FunctionView& function,
                                      const runtime::MemoryLayout& layout,
                                      bool fold) {
  Schedule schedule;
  ASSIGN_OR_RETURN(const std::vector<runtime::GatheredSegment> segments,
                   runtime::FindGatheredSegments(plan, function, layout, 1));
  ASSIGN_OR_RETURN(schedule.peak,
                   runtime::FindGatheredPeak(plan, function, layout));
  schedule.buckets = InstructionBuckets(plan, function, segments);
  MakeItems(plan, function, fold, schedule);
  RowMaker rows(function, schedule);
  RETURN_IF_ERROR(rows.Run());
  AddGathered(function, segments, rows.row_of(), schedule);
  return schedule;
}

}  // namespace accel::tools
