// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule as a table.
#include "tools/accel-inspect/schedule_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/sizes/collective_bytes.h"
#include "tools/accel-inspect/schedule.h"
#include "tools/accel-inspect/text_table.h"

namespace accel::tools {
namespace {

using Cells = std::vector<std::string>;
using planpb::Instruction;

std::string WaitsText(const ScheduleItem& item) {
  if (item.waits.empty()) {
    return "";
  }
  return absl::StrCat(
      absl::StrJoin(item.waits, " ",
                    [](std::string* out, const planpb::Wait& wait) {
                      absl::StrAppend(out, wait.event());
                      if (wait.distance() != 0) {
                        absl::StrAppend(out, "-", wait.distance());
                      }
                    }),
      ">");
}

std::string SignalsText(const ScheduleItem& item) {
  return item.signals.empty()
             ? ""
             : absl::StrCat(">", absl::StrJoin(item.signals, " "));
}

class ScheduleTable {
 public:
  ScheduleTable(const runtime::PlanView& plan, const Schedule& schedule,
                bool fold)
      : plan_(plan), schedule_(schedule), fold_(fold), shown_(ShownStreams()) {}

  std::string Text(size_t width);

 private:
  const planpb::Bucket& BucketAt(uint32_t index) const {
    return plan_.manifest().buckets(static_cast<int>(index));
  }
  std::string NameOf(const Instruction& instruction) const;
  bool IsCompute(size_t stream) const;
  std::vector<size_t> ShownStreams() const;
  const ScheduleItem* ItemOf(const ScheduleRow& row, size_t stream) const;
  std::vector<TextColumn> Columns() const;
  void AddCompute(const ScheduleItem* item, Cells& cells) const;
  void AddOther(const ScheduleItem* item, Cells& cells) const;
  std::string ComputeText(const ScheduleItem& item) const;
  std::string OtherText(const ScheduleItem& item) const;
  std::string BytesText(const ScheduleItem& item) const;
  void UpdateTracks(const ScheduleRow& row);
  void AddHeadings(const ScheduleRow& row, TextTable& table);

  const runtime::PlanView& plan_;
  const Schedule& schedule_;
  const bool fold_;
  const std::vector<size_t> shown_;
  // The column of each gathered bucket that is alive; empty: free.
  Cells tracks_;
  uint32_t section_ = 0;
  bool was_repeated_ = false;
  planpb::Phase phase_ = planpb::PHASE_UNSPECIFIED;
};

std::string ScheduleTable::NameOf(const Instruction& instruction) const {
  if (instruction.has_fetch()) {
    return instruction.fetch().ahead() == 0 ? "fetch" : "fetch next";
  }
  if (instruction.has_metric()) {
    const auto metric = static_cast<int>(instruction.metric().metric());
    return absl::StrCat("metric ", plan_.manifest().metrics(metric).name());
  }
  return instruction.name();
}

bool ScheduleTable::IsCompute(size_t stream) const {
  return plan_.manifest().streams(static_cast<int>(stream)).kind() ==
         planpb::STREAM_COMPUTE;
}

// The compute stream comes first; of the others those that do something.
std::vector<size_t> ScheduleTable::ShownStreams() const {
  std::vector<size_t> streams;
  for (size_t stream = 0; stream < schedule_.streams.size(); ++stream) {
    if (IsCompute(stream)) {
      streams.insert(streams.begin(), stream);
    } else if (!schedule_.streams[stream].empty()) {
      streams.push_back(stream);
    }
  }
  return streams;
}

std::vector<TextColumn> ScheduleTable::Columns() const {
  std::vector<TextColumn> columns;
  for (const size_t stream : shown_) {
    const std::string& name =
        plan_.manifest().streams(static_cast<int>(stream)).name();
    columns.push_back(
        {.numbers = true, .gap = static_cast<size_t>(columns.empty() ? 1 : 2)});
    columns.push_back({.numbers = true});
    if (IsCompute(stream)) {
      columns.push_back({.header = name, .least = 10});
      if (fold_) {
        columns.push_back({.header = "instr", .numbers = true});
      }
      columns.push_back({.header = "FLOP", .numbers = true});
    } else {
      columns.push_back({.header = name, .least = 12});
      columns.push_back({.header = "bytes", .numbers = true});
    }
    columns.push_back({});
  }
  for (size_t i = 0; i < tracks_.size(); ++i) {
    columns.push_back({.header = i == 0 ? "gathered" : "",
                       .gap = static_cast<size_t>(i == 0 ? 2 : 1)});
  }
  return columns;
}

std::string ScheduleTable::ComputeText(const ScheduleItem& item) const {
  if (!fold_) {
    return NameOf(*item.instructions[0]);
  }
  if (item.buckets.empty()) {
    return item.instructions.size() == 1 ? NameOf(*item.instructions[0]) : "";
  }
  if (item.buckets.size() > 2) {
    return absl::StrCat(item.buckets.size(), " buckets");
  }
  return absl::StrJoin(item.buckets, " ",
                       [this](std::string* out, uint32_t bucket) {
                         absl::StrAppend(out, BucketAt(bucket).name());
                       });
}

const ScheduleItem* ScheduleTable::ItemOf(const ScheduleRow& row,
                                          size_t stream) const {
  return row.items[stream] ? &schedule_.streams[stream][*row.items[stream]]
                           : nullptr;
}

void ScheduleTable::AddCompute(const ScheduleItem* item, Cells& cells) const {
  if (item == nullptr) {
    cells.resize(cells.size() + (fold_ ? 6 : 5));
    return;
  }
  cells.push_back(WaitsText(*item));
  cells.push_back(absl::StrCat(item->instructions[0]->id()));
  cells.push_back(ComputeText(*item));
  if (fold_) {
    cells.push_back(absl::StrCat(item->instructions.size()));
  }
  cells.push_back(item->flops == 0
                      ? ""
                      : runtime::FormatSi(static_cast<double>(item->flops)));
  cells.push_back(SignalsText(*item));
}

std::string ScheduleTable::OtherText(const ScheduleItem& item) const {
  const Instruction& first = *item.instructions[0];
  if (fold_ && first.collective().bucket_plus_one() != 0) {
    return absl::StrCat(
        runtime::CollectiveKindName(first.collective().kind()), " ",
        BucketAt(first.collective().bucket_plus_one() - 1).name());
  }
  return item.instructions.size() == 1
             ? NameOf(first)
             : absl::StrCat(item.instructions.size(), " metrics");
}

// Of collectives the whole tensor, on any number of ranks.
std::string ScheduleTable::BytesText(const ScheduleItem& item) const {
  uint64_t bytes = 0;
  for (const Instruction* instruction : item.instructions) {
    bytes += instruction->has_collective()
                 ? runtime::TensorBytes(instruction->collective())
                 : instruction->bytes_moved();
  }
  return bytes == 0 ? "" : runtime::FormatBytes(bytes);
}

void ScheduleTable::AddOther(const ScheduleItem* item, Cells& cells) const {
  if (item == nullptr) {
    cells.resize(cells.size() + 5);
    return;
  }
  cells.push_back(WaitsText(*item));
  cells.push_back(absl::StrCat(item->instructions[0]->id()));
  cells.push_back(OtherText(*item));
  cells.push_back(BytesText(*item));
  cells.push_back(SignalsText(*item));
}

// A bucket keeps its column as long as it is alive.
void ScheduleTable::UpdateTracks(const ScheduleRow& row) {
  Cells fresh = row.gathered;
  for (std::string& track : tracks_) {
    const auto found = std::find(fresh.begin(), fresh.end(), track);
    if (found == fresh.end()) {
      track.clear();
    } else {
      fresh.erase(found);
    }
  }
  for (std::string& track : tracks_) {
    if (track.empty() && !fresh.empty()) {
      track = fresh.front();
      fresh.erase(fresh.begin());
    }
  }
}

void ScheduleTable::AddHeadings(const ScheduleRow& row, TextTable& table) {
  if (row.section != section_) {
    section_ = row.section;
    phase_ = planpb::PHASE_UNSPECIFIED;
    if (row.repeated) {
      table.AddHeading("each microbatch");
    } else if (was_repeated_) {
      table.AddHeading("after the last microbatch");
    }
  }
  was_repeated_ = row.repeated;
  const ScheduleItem* computed = ItemOf(row, shown_.front());
  if (computed != nullptr) {
    const planpb::Phase phase = computed->instructions[0]->phase();
    if (phase != phase_) {
      table.AddHeading(absl::StrCat(" ", runtime::PhaseName(phase)));
    }
    phase_ = phase;
  }
}

std::string ScheduleTable::Text(size_t width) {
  size_t most = 0;
  for (const ScheduleRow& row : schedule_.rows) {
    most = std::max(most, row.gathered.size());
  }
  tracks_.resize(most);
  TextTable table(Columns());
  for (const ScheduleRow& row : schedule_.rows) {
    AddHeadings(row, table);
    Cells cells;
    for (const size_t stream : shown_) {
      if (IsCompute(stream)) {
        AddCompute(ItemOf(row, stream), cells);
      } else {
        AddOther(ItemOf(row, stream), cells);
      }
    }
    UpdateTracks(row);
    cells.insert(cells.end(), tracks_.begin(), tracks_.end());
    table.AddRow(std::move(cells));
  }
  return table.Text(width);
}

std::string PeakText(const runtime::GatheredPeak& peak) {
  const size_t in_order = peak.in_program_order.size();
  const size_t in_any_timing = peak.in_any_timing.size();
  if (in_order == 0) {
    return "";
  }
  return absl::StrCat(
      "at most ", in_order, " gathered bucket", in_order == 1 ? "" : "s",
      " alive",
      in_any_timing == in_order
          ? ""
          : absl::StrCat(" (", in_any_timing, " if a stream runs ahead)"),
      ", the largest ",
      runtime::FormatCount(static_cast<int64_t>(peak.largest_bytes)),
      " bytes\n");
}

}  // namespace

absl::StatusOr<std::string> ScheduleText(const runtime::PlanView& plan,
                                         const runtime::FunctionView& function,
                                         const runtime::MemoryLayout& layout,
                                         bool fold, size_t width) {
  ASSIGN_OR_RETURN(const Schedule schedule,
                   MakeSchedule(plan, function, layout, fold));
  return absl::StrCat(
      "function '", function.name(), "', ",
      runtime::Amount(static_cast<int64_t>(function.instructions().size()),
                      "instruction"),
      ", ",
      runtime::Amount(static_cast<int64_t>(function.event_count()), "event"),
      " (5> waits for event 5, >5 signals it)\n",
      ScheduleTable(plan, schedule, fold).Text(width), PeakText(schedule.peak));
}

}  // namespace accel::tools
