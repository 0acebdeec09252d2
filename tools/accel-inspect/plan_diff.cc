// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both plans are reduced to numbers with names; what is compared are those.
#include "tools/accel-inspect/plan_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/sizes/size_expr.h"
#include "tools/accel-inspect/precision_report.h"

namespace accel::tools {
namespace {

using runtime::FormatBytes;

// Names in the order in which they were first added.
class Numbers {
 public:
  void Add(const std::string& name, uint64_t number) {
    const auto [place, is_new] = numbers_.emplace(name, 0);
    place->second += number;
    if (is_new) {
      names_.push_back(name);
    }
  }
  uint64_t Get(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? 0 : found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, uint64_t> numbers_;
  std::vector<std::string> names_;
};

// One plan, as it is compared.
struct Facts {
  Numbers memory;        // bytes of a rank, by class
  Numbers traffic;       // bytes that a rank sends, by collective
  Numbers instructions;  // by function and kind
  Numbers flops;         // of products and attention, by their operands
  std::map<std::string, std::string> sites;    // what each computes in
  std::map<std::string, std::string> kernels;  // names by key
};

std::string InstructionKind(const planpb::Instruction& instruction) {
  switch (instruction.body_case()) {
    case planpb::Instruction::kLaunch:
      return "launch";
    case planpb::Instruction::kFetch:
      return "fetch";
    case planpb::Instruction::kRepeat:
      return "repeat";
    case planpb::Instruction::kMetric:
      return "metric";
    case planpb::Instruction::kLoad:
      return "load";
    case planpb::Instruction::kFill:
      return "fill";
    case planpb::Instruction::kCopy:
      return "copy";
    case planpb::Instruction::kCollective:
      return std::string(
          runtime::CollectiveKindName(instruction.collective().kind()));
    default:
      return "unknown";
  }
}

absl::Status AddInstructions(const runtime::PlanView& plan,
                             const runtime::RankBinding& binding,
                             Facts& facts) {
  for (const runtime::FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      const std::string name =
          absl::StrCat(function.name(), ": ", InstructionKind(instruction));
      facts.instructions.Add(name, 1);
      if (!instruction.has_collective()) {
        continue;
      }
      ASSIGN_OR_RETURN(
          const uint64_t bytes,
          runtime::EvaluateSize(instruction.collective().bytes(), binding));
      facts.traffic.Add(name, bytes);
    }
  }
  return absl::OkStatus();
}

void AddMemory(const runtime::MemoryLayout& layout, Facts& facts) {
  for (const runtime::MemoryPart& part : layout.PrivateParts()) {
    facts.memory.Add(std::string(part.name), part.bytes);
  }
  facts.memory.Add("gathered", layout.SharedBytes());
  facts.memory.Add("staging", layout.staging().BytesOfRank());
  facts.memory.Add("total", layout.TotalBytes());
}

void AddSites(const runtime::PlanView& plan, Facts& facts) {
  std::map<std::string, int> seen;
  for (const PrecisionSite& each : FindPrecisionSites(plan)) {
    facts.flops.Add(SiteOperands(*each.site), each.site->flops());
    std::string name = absl::StrCat(each.node, " ", SiteName(*each.site));
    // A node that has become several products has several of a role.
    if (const int number = ++seen[name]; number > 1) {
      absl::StrAppend(&name, " ", number);
    }
    facts.sites[name] = SiteTypes(*each.site);
  }
}

absl::StatusOr<Facts> Collect(const runtime::Plan& plan, uint64_t ranks) {
  const runtime::RankBinding binding = runtime::RankBinding::OfRun(
      plan.manifest(), /*rank=*/0, ranks, /*threads=*/1);
  ASSIGN_OR_RETURN(const runtime::MemoryLayout layout,
                   runtime::MemoryLayout::Create(plan.view(), binding));
  Facts facts;
  AddMemory(layout, facts);
  RETURN_IF_ERROR(AddInstructions(plan.view(), binding, facts));
  AddSites(plan.view(), facts);
  for (const planpb::Kernel& kernel : plan.manifest().kernels()) {
    facts.kernels[kernel.key()] = kernel.name();
  }
  return facts;
}

std::string Change(uint64_t before, uint64_t after) {
  if (before == 0 || after == 0) {
    return before == 0 ? "new" : "gone";
  }
  const double ratio = static_cast<double>(after) / static_cast<double>(before);
  return absl::StrFormat("%.3f", ratio);
}

// Rows that differ, below a heading.
void AddTable(absl::string_view title, absl::string_view of,
              const std::vector<std::vector<std::string>>& rows,
              std::string& text) {
  if (rows.empty()) {
    return;
  }
  absl::StrAppend(&text, "\n**", title, "**\n\n| ", of,
                  " | before | after | ratio |\n|---|---:|---:|---:|\n");
  for (const std::vector<std::string>& row : rows) {
    absl::StrAppend(&text, "| ", row[0], " | ", row[1], " | ", row[2], " | ",
                    row[3], " |\n");
  }
}

template <typename Format>
std::vector<std::vector<std::string>> Compare(const Numbers& before,
                                              const Numbers& after,
                                              Format format) {
  std::vector<std::string> names = before.names();
  for (const std::string& name : after.names()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : names) {
    const uint64_t from = before.Get(name);
    const uint64_t to = after.Get(name);
    if (from != to) {
      rows.push_back({name, format(from), format(to), Change(from, to)});
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> CompareSites(const Facts& before,
                                                   const Facts& after) {
  std::map<std::string, std::string> all = before.sites;
  all.insert(after.sites.begin(), after.sites.end());
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, types] : all) {
    const auto from = before.sites.find(name);
    const auto to = after.sites.find(name);
    const bool is_new = from == before.sites.end();
    const bool is_gone = to == after.sites.end();
    if (is_new || is_gone || from->second != to->second) {
      rows.push_back(
          {name, is_new ? "" : from->second, is_gone ? "" : to->second, ""});
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> CompareKernels(const Facts& before,
                                                     const Facts& after) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, name] : before.kernels) {
    if (after.kernels.find(key) == after.kernels.end()) {
      rows.push_back(
          {absl::StrCat(name, " (", key.substr(0, 8), ")"), "yes", "", "gone"});
    }
  }
  for (const auto& [key, name] : after.kernels) {
    if (before.kernels.find(key) == before.kernels.end()) {
      rows.push_back(
          {absl::StrCat(name, " (", key.substr(0, 8), ")"), "", "yes", "new"});
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

absl::StatusOr<std::string> PlanDiffText(const runtime::Plan& before,
                                         const runtime::Plan& after,
                                         uint64_t ranks) {
  ranks = std::min(
      {ranks, before.manifest().max_ranks(), after.manifest().max_ranks()});
  ASSIGN_OR_RETURN(const Facts old_facts, Collect(before, ranks));
  ASSIGN_OR_RETURN(const Facts new_facts, Collect(after, ranks));
  const auto bytes = [](uint64_t number) { return FormatBytes(number); };
  const auto count = [](uint64_t number) { return absl::StrCat(number); };
  const auto gigaflops = [](uint64_t number) {
    return absl::StrFormat("%.3f GFLOP", static_cast<double>(number) / 1e9);
  };
  std::string text = absl::StrCat(
      "asked for: ", AskedPrecision(before.manifest()), " before, ",
      AskedPrecision(after.manifest()),
      " after; memory and traffic are those of a rank among ", ranks, "\n");
  const size_t head = text.size();
  AddTable("Products and attention, a microbatch", "operands",
           Compare(old_facts.flops, new_facts.flops, gigaflops), text);
  AddTable("What they compute in", "node, role, shape",
           CompareSites(old_facts, new_facts), text);
  AddTable("Memory", "class",
           Compare(old_facts.memory, new_facts.memory, bytes), text);
  AddTable("Bytes that a rank sends, once through each function",
           "function, collective",
           Compare(old_facts.traffic, new_facts.traffic, bytes), text);
  AddTable("Instructions", "function, kind",
           Compare(old_facts.instructions, new_facts.instructions, count),
           text);
  AddTable("Kernels", "name", CompareKernels(old_facts, new_facts), text);
  if (text.size() == head) {
    absl::StrAppend(&text, "\nnone of what is compared differs\n");
  }
  return text;
}

}  // namespace accel::tools
