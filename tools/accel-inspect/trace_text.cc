// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as tables.
#include "tools/accel-inspect/trace_text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/amount.h"
#include "runtime/base/format.h"
#include "tools/accel-inspect/text_table.h"

namespace accel::tools {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeast = 24;  // of a name that gives way
// Of a stream's time: what an instruction takes at least to be listed.
constexpr double kLeastShare = 0.0005;

// Milliseconds with as many decimals as a step of that length deserves; nothing
// for nothing.
std::string Ms(double ns, double step_ns) {
  const int decimals = step_ns >= 1e10 ? 0 : step_ns >= 1e7 ? 2 : 4;
  return ns == 0 ? "" : absl::StrFormat("%.*f", decimals, ns * 1e-6);
}

std::string Percent(double part, double all) {
  return all == 0 ? "" : absl::StrFormat("%.1f%%", 100 * part / all);
}

// Beyond the roofline the bytes came from a cache, of which the roofline knows
// nothing: how much beyond says nothing.
std::string RooflineShare(double roofline_ns, double ns) {
  return roofline_ns > ns ? ">100%" : Percent(roofline_ns, ns);
}

// Of amounts per nanosecond, which are billions per second.
std::string Giga(double amount, double ns) {
  if (amount == 0 || ns == 0) {
    return "";
  }
  return absl::StrFormat("%.*f", amount / ns >= 100 ? 0 : 2, amount / ns);
}

TextColumn Number(const char* header) {
  return {.header = header, .numbers = true, .gap = kGap};
}

// One stream's tables. Columns that would be empty are left out.
class StreamTable {
 public:
  StreamTable(const TraceProfile& profile, const StreamProfile& stream)
      : stream_(stream),
        all_ns_(profile.step_ns),
        has_flops_(stream.busy.flops > 0),
        has_roofline_(profile.roofline && stream.busy.roofline_ns > 0) {}

  std::string Modules(size_t width) const;
  // How many of the most expensive instructions are worth a line.
  size_t ShownGroups(size_t top) const;
  std::string Groups(size_t shown, size_t width) const;

 private:
  struct PhaseColumn {
    const char* header;
    double StepCost::* ns;
  };

  std::string MsText(double ns) const { return Ms(ns, all_ns_); }
  std::vector<PhaseColumn> Phases() const;
  void AddRateColumns(std::vector<TextColumn>& columns) const;
  void AddRates(const StepCost& cost, double ns,
                std::vector<std::string>& cells) const;
  void AddModule(const std::string& name, const StepCost& cost, double ns,
                 TextTable& table) const;

  const StreamProfile& stream_;
  const double all_ns_;  // of a step
  const bool has_flops_;
  const bool has_roofline_;
};

std::vector<StreamTable::PhaseColumn> StreamTable::Phases() const {
  constexpr PhaseColumn kPhases[] = {{"forward", &StepCost::forward_ns},
                                     {"backward", &StepCost::backward_ns},
                                     {"update", &StepCost::update_ns},
                                     {"other", &StepCost::other_ns}};
  std::vector<PhaseColumn> phases;
  for (const PhaseColumn& each : kPhases) {
    if (stream_.busy.*each.ns > 0) {
      phases.push_back(each);
    }
  }
  return phases;
}

void StreamTable::AddRateColumns(std::vector<TextColumn>& columns) const {
  columns.push_back(Number("ms"));
  columns.push_back(Number("share"));
  if (has_flops_) {
    columns.push_back(Number("GFLOP/s"));
  }
  columns.push_back(Number("GB/s"));
  if (has_roofline_) {
    columns.push_back(Number("of roofline"));
  }
}

void StreamTable::AddRates(const StepCost& cost, double ns,
                           std::vector<std::string>& cells) const {
  cells.push_back(MsText(ns));
  cells.push_back(Percent(ns, all_ns_));
  if (has_flops_) {
    cells.push_back(Giga(cost.flops, ns));
  }
  cells.push_back(Giga(cost.bytes, ns));
  if (has_roofline_) {
    cells.push_back(
        cost.roofline_ns == 0 ? "" : RooflineShare(cost.roofline_ns, ns));
  }
}

void StreamTable::AddModule(const std::string& name, const StepCost& cost,
                            double ns, TextTable& table) const {
  std::vector<std::string> cells = {
      name,
      cost.executions == 0 ? "" : absl::StrCat(std::llround(cost.executions))};
  for (const PhaseColumn& phase : Phases()) {
    cells.push_back(MsText(cost.*phase.ns));
  }
  AddRates(cost, ns, cells);
  table.AddRow(std::move(cells));
}

std::string StreamTable::Modules(size_t width) const {
  std::vector<TextColumn> columns = {{.header = "module", .least = kLeast},
                                     Number("runs")};
  for (const PhaseColumn& phase : Phases()) {
    columns.push_back(Number(phase.header));
  }
  AddRateColumns(columns);
  TextTable table(std::move(columns));
  for (const ModuleCost& row : stream_.modules) {
    AddModule(absl::StrCat(
                  std::string(2 * row.depth, ' '), row.label,
                  row.layers == 1 ? "" : absl::StrCat(" (", row.layers, ")")),
              row.cost, row.cost.ns(), table);
  }
  AddModule("waiting", StepCost(), stream_.waiting_ns, table);
  if (std::fabs(stream_.variation_ns) >= kLeastShare * all_ns_) {
    AddModule("variation", StepCost(), stream_.variation_ns, table);
  }
  AddModule("total", stream_.busy, all_ns_, table);
  return table.Text(width);
}

size_t StreamTable::ShownGroups(size_t top) const {
  size_t shown = 0;
  while (shown < std::min(top, stream_.groups.size()) &&
         stream_.groups[shown].cost.ns() >= kLeastShare * all_ns_) {
    ++shown;
  }
  return shown;
}

std::string StreamTable::Groups(size_t shown, size_t width) const {
  std::vector<TextColumn> columns;
  AddRateColumns(columns);
  columns.front().gap = 0;
  columns.push_back(Number("runs"));
  columns.push_back({.header = "phase", .gap = kGap});
  columns.push_back({.header = "module", .least = kLeast, .gap = kGap});
  columns.push_back({.header = "instruction", .least = kLeast, .gap = kGap});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < shown; ++i) {
    const GroupCost& group = stream_.groups[i];
    std::vector<std::string> cells;
    AddRates(group.cost, group.cost.ns(), cells);
    cells.push_back(absl::StrCat(std::llround(group.cost.executions)));
    cells.push_back(group.phase);
    cells.push_back(group.module);
    cells.push_back(group.name);
    table.AddRow(std::move(cells));
  }
  return table.Text(width);
}

std::string HeaderText(const TraceProfile& profile) {
  std::string text = absl::StrCat(
      "trace of ", profile.model, ": rank ", profile.rank, ", ",
      profile.gpu.empty()
          ? runtime::Amount(static_cast<int64_t>(profile.threads), "thread")
          : profile.gpu,
      ", ", runtime::Amount(static_cast<int64_t>(profile.steps), "step"), ", ",
      runtime::FormatDuration(
          std::chrono::nanoseconds(std::llround(profile.step_ns))),
      " a step (median)\n");
  if (profile.ranks.size() > 1) {
    absl::StrAppend(&text, "the trace has ranks ",
                    absl::StrJoin(profile.ranks, ", "),
                    "; --rank N shows another\n");
  }
  if (profile.roofline) {
    absl::StrAppendFormat(&text,
                          "roofline, measured: %.1f GFLOP/s, %.2f GB/s\n",
                          profile.roofline->flops_per_second * 1e-9,
                          profile.roofline->bytes_per_second * 1e-9);
  } else {
    absl::StrAppend(
        &text,
        profile.gpu.empty()
            ? "no roofline was measured: accel-run --profile adds shares of "
              "it\n"
            : "times by the GPU's clock; what it can do at most is not "
              "measured\n");
  }
  return text;
}

}  // namespace

std::string TraceText(const TraceProfile& profile, size_t top, size_t width) {
  std::string text = HeaderText(profile);
  for (const StreamProfile& stream : profile.streams) {
    const StreamTable table(profile, stream);
    absl::StrAppend(&text, "\nstream ", stream.name,
                    ", milliseconds of a step (medians)\n",
                    table.Modules(width));
    if (const size_t shown = table.ShownGroups(top); shown > 0) {
      absl::StrAppend(&text, "\nits most expensive instructions, ", shown,
                      " of ", stream.groups.size(), "\n",
                      table.Groups(shown, width));
    }
  }
  return text;
}

}  // namespace accel::tools
