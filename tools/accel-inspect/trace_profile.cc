// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Medians per instruction, then their sums along the hierarchy of modules.
#include "tools/accel-inspect/trace_profile.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace accel::tools {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

// One instruction of one stream over all steps.
struct Instruction {
  const TraceEvent* event = nullptr;   // any: what does not change
  std::map<uint64_t, double> step_ns;  // of the steps in which it ran
  StepCost cost;
};

void AddTime(const std::string& phase, double ns, StepCost& cost) {
  double& part = phase == "forward"    ? cost.forward_ns
                 : phase == "backward" ? cost.backward_ns
                 : phase == "update"   ? cost.update_ns
                                       : cost.other_ns;
  part += ns;
}

void AddEvent(const TraceEvent& event, double steps, Instruction& instruction) {
  instruction.event = &event;
  instruction.step_ns[event.step] += static_cast<double>(event.ns);
  instruction.cost.executions += 1 / steps;
  instruction.cost.flops += event.flops / steps;
  instruction.cost.bytes += event.bytes / steps;
  instruction.cost.roofline_ns += event.roofline_ns.value_or(0) / steps;
}

// Steps in which it did not run count as 0.
void FinishInstruction(size_t steps, Instruction& instruction) {
  std::vector<double> times;
  for (const auto& [step, ns] : instruction.step_ns) {
    times.push_back(ns);
  }
  times.resize(steps, 0);
  AddTime(instruction.event->phase, Median(std::move(times)), instruction.cost);
}

bool IsNumber(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// A step down the hierarchy: its label, and the layer that it is one of.
struct Level {
  std::string label;
  std::string layer;
};

// "transformer.h.0.attn" is transformer, h.0 or h.*, attn.
std::vector<Level> LevelsOf(const TraceEvent& event, bool fold) {
  if (event.module.empty()) {
    const bool model = event.phase == "forward" || event.phase == "backward";
    return {{model ? "(no module)" : absl::StrCat("(", event.phase, ")"), ""}};
  }
  std::vector<Level> levels;
  for (const absl::string_view part : absl::StrSplit(event.module, '.')) {
    if (!IsNumber(part)) {
      levels.push_back({std::string(part), ""});
      continue;
    }
    if (levels.empty()) {
      levels.push_back({});
    }
    Level& level = levels.back();
    absl::StrAppend(&level.label, level.label.empty() ? "" : ".",
                    fold ? absl::string_view("*") : part);
    absl::StrAppend(&level.layer, level.layer.empty() ? "" : ".", part);
  }
  return levels;
}

std::string PathOf(const std::vector<Level>& levels) {
  return absl::StrJoin(levels, ".", [](std::string* out, const Level& level) {
    out->append(level.label);
  });
}

struct Node {
  std::string label;
  std::set<std::string> layers;
  StepCost own;
  StepCost all;
  std::vector<std::unique_ptr<Node>> children;  // in order of appearance

  Node& Child(const std::string& name) {
    const auto known =
        std::find_if(children.begin(), children.end(),
                     [&](const auto& each) { return each->label == name; });
    if (known != children.end()) {
      return **known;
    }
    children.push_back(std::make_unique<Node>());
    children.back()->label = name;
    return *children.back();
  }
};

void AddToTree(const std::vector<Level>& levels, const StepCost& cost,
               Node& root) {
  Node* node = &root;
  // Layers of layers are counted apart: the path down to here says which.
  std::string above;
  for (const Level& level : levels) {
    node = &node->Child(level.label);
    absl::StrAppend(&above, "/", level.layer);
    node->layers.insert(level.layer.empty() ? "" : above);
    node->all.Add(cost);
  }
  node->own.Add(cost);
}

void AddRows(const Node& node, const std::string& above, size_t depth,
             std::vector<ModuleCost>& rows) {
  const std::string path =
      absl::StrCat(above, above.empty() ? "" : ".", node.label);
  rows.push_back({node.label, path, depth, node.layers.size(), node.all});
  if (!node.children.empty() && node.own.executions > 0) {
    rows.push_back({"(itself)", path, depth + 1, 1, node.own});
  }
  for (const auto& child : node.children) {
    AddRows(*child, path, depth + 1, rows);
  }
}

// All that a stream executed, in the order of first execution.
class StreamCosts {
 public:
  StreamCosts(std::vector<const TraceEvent*> events, size_t steps)
      : events_(std::move(events)) {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const TraceEvent* a, const TraceEvent* b) {
                       return a->begin_ns < b->begin_ns;
                     });
    for (const TraceEvent* event : events_) {
      const auto [place, is_new] =
          index_.try_emplace(event->instruction, instructions_.size());
      if (is_new) {
        instructions_.emplace_back();
      }
      AddEvent(*event, static_cast<double>(steps),
               instructions_[place->second]);
    }
    for (Instruction& each : instructions_) {
      FinishInstruction(steps, each);
    }
  }

  StreamProfile Profile(const std::map<uint64_t, double>& step_ns,
                        bool fold) const;

 private:
  double WaitingNs(const std::map<uint64_t, double>& step_ns) const;

  std::vector<const TraceEvent*> events_;
  std::map<uint64_t, size_t> index_;  // by id
  std::vector<Instruction> instructions_;
};

double StreamCosts::WaitingNs(const std::map<uint64_t, double>& step_ns) const {
  std::map<uint64_t, double> waiting = step_ns;
  for (const TraceEvent* event : events_) {
    waiting[event->step] -= static_cast<double>(event->ns);
  }
  std::vector<double> values;
  for (const auto& [step, ns] : waiting) {
    values.push_back(std::max(0.0, ns));
  }
  return Median(std::move(values));
}

StreamProfile StreamCosts::Profile(const std::map<uint64_t, double>& step_ns,
                                   bool fold) const {
  StreamProfile stream;
  Node root;
  // Which group: unfolded, each instruction is one.
  std::map<std::tuple<std::string, std::string, std::string, uint64_t>, size_t>
      groups;
  for (const Instruction& each : instructions_) {
    const TraceEvent& event = *each.event;
    const std::vector<Level> levels = LevelsOf(event, fold);
    AddToTree(levels, each.cost, root);
    const std::string path = PathOf(levels);
    const auto [place, is_new] = groups.try_emplace(
        {event.name, event.phase, path, fold ? 0 : event.instruction},
        stream.groups.size());
    if (is_new) {
      stream.groups.push_back({event.name, event.phase, path, {}});
    }
    stream.groups[place->second].cost.Add(each.cost);
    stream.busy.Add(each.cost);
  }
  for (const auto& child : root.children) {
    AddRows(*child, "", 0, stream.modules);
  }
  std::stable_sort(stream.groups.begin(), stream.groups.end(),
                   [](const GroupCost& a, const GroupCost& b) {
                     return a.cost.ns() > b.cost.ns();
                   });
  stream.waiting_ns = WaitingNs(step_ns);
  return stream;
}

// Of each step of a rank, over all its streams.
std::map<uint64_t, double> StepTimes(
    const std::vector<const TraceEvent*>& events) {
  std::map<uint64_t, std::pair<int64_t, int64_t>> spans;
  for (const TraceEvent* event : events) {
    const int64_t end = event->begin_ns + event->ns;
    const auto [span, is_new] =
        spans.try_emplace(event->step, event->begin_ns, end);
    span->second.first = std::min(span->second.first, event->begin_ns);
    span->second.second = std::max(span->second.second, end);
  }
  std::map<uint64_t, double> times;
  for (const auto& [step, span] : spans) {
    times[step] = static_cast<double>(span.second - span.first);
  }
  return times;
}

absl::StatusOr<uint64_t> ChooseRank(const std::set<uint64_t>& ranks,
                                    const std::optional<uint64_t>& wanted) {
  const uint64_t rank = wanted.value_or(*ranks.begin());
  if (ranks.count(rank) != 0) {
    return rank;
  }
  return absl::NotFoundError(absl::StrCat(
      "--rank: expected a rank of the trace (", absl::StrJoin(ranks, ", "),
      "), got ", rank,
      "; ranks that are processes write files of their own, FILE.rank-N"));
}

}  // namespace

void StepCost::Add(const StepCost& other) {
  forward_ns += other.forward_ns;
  backward_ns += other.backward_ns;
  update_ns += other.update_ns;
  other_ns += other.other_ns;
  executions += other.executions;
  flops += other.flops;
  bytes += other.bytes;
  roofline_ns += other.roofline_ns;
}

absl::StatusOr<TraceProfile> ProfileTrace(const TraceFile& trace,
                                          const ProfileOptions& options) {
  std::set<uint64_t> ranks;
  for (const TraceEvent& event : trace.events) {
    ranks.insert(event.rank);
  }
  const auto rank = ChooseRank(ranks, options.rank);
  if (!rank.ok()) {
    return rank.status();
  }
  std::vector<const TraceEvent*> events;
  std::map<uint64_t, std::vector<const TraceEvent*>> by_stream;
  for (const TraceEvent& event : trace.events) {
    if (event.rank == *rank) {
      events.push_back(&event);
      by_stream[event.stream].push_back(&event);
    }
  }
  const std::map<uint64_t, double> step_ns = StepTimes(events);
  TraceProfile profile;
  profile.model = trace.model;
  profile.rank = *rank;
  profile.ranks.assign(ranks.begin(), ranks.end());
  profile.threads = trace.threads;
  profile.gpu = trace.gpu;
  profile.steps = step_ns.size();
  profile.roofline = trace.roofline;
  std::vector<double> times;
  for (const auto& [step, ns] : step_ns) {
    times.push_back(ns);
  }
  profile.step_ns = Median(std::move(times));
  for (auto& [id, stream_events] : by_stream) {
    StreamProfile stream = StreamCosts(std::move(stream_events), step_ns.size())
                               .Profile(step_ns, options.fold);
    const auto name = trace.streams.find({*rank, id});
    stream.variation_ns =
        profile.step_ns - stream.busy.ns() - stream.waiting_ns;
    stream.name = name == trace.streams.end() ? absl::StrCat(id) : name->second;
    profile.streams.push_back(std::move(stream));
  }
  return profile;
}

}  // namespace accel::tools
