// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A visitor that writes text.
#include "tools/accel-inspect/instruction_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/schema/visitor.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::tools {
namespace {

class TextVisitor : public runtime::InstructionVisitor {
 public:
  explicit TextVisitor(const runtime::PlanView& plan) : plan_(plan) {}

  const std::string& text() const { return text_; }

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Launch& launch) override {
    const planpb::Kernel& kernel =
        manifest().kernels(static_cast<int>(launch.kernel()));
    return Set(instruction, kernel.name(),
               absl::StrCat(RangeText(kernel, launch), OccupancyText(kernel)));
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fetch& fetch) override {
    return Set(instruction, "fetch",
               fetch.ahead() == 0 ? "this microbatch" : "the next microbatch");
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Repeat& repeat) override {
    return Set(instruction, "repeat",
               absl::StrCat("per microbatch, up to ", repeat.last()));
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::ReadMetric& metric) override {
    return Set(instruction, "metric",
               manifest().metrics(static_cast<int>(metric.metric())).name());
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Load& load) override {
    return Set(instruction, "load",
               absl::StrCat(load.pieces_size(), " pieces"));
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fill& fill) override {
    return Set(instruction, "fill", fill.pattern().empty() ? "0" : "pattern");
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Copy&) override {
    return Set(instruction, "copy", "");
  }
  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Collective& collective) override {
    std::string axes =
        absl::StrJoin(collective.axes(), ", ", [](std::string* out, int axis) {
          absl::StrAppend(
              out, runtime::MeshAxisName(static_cast<planpb::MeshAxis>(axis)));
        });
    return Set(instruction, runtime::CollectiveKindName(collective.kind()),
               absl::StrCat("over ", axes));
  }

 private:
  const planpb::Manifest& manifest() const { return plan_.manifest(); }

  // Tiles that are run; where variants differ, those of each.
  static std::string RangeText(const planpb::Kernel& kernel,
                               const planpb::Launch& launch) {
    if (launch.has_part()) {
      return absl::StrCat("[0, shard of ", launch.part().elements(), ")");
    }
    std::vector<std::string> ranges;
    for (const planpb::KernelEntry& entry : kernel.entries()) {
      std::string range = entry.has_call()
                              ? absl::StrCat(entry.call().library(), " ",
                                             entry.call().function())
                              : absl::StrCat("[0, ", entry.tiles(), ")");
      if (ranges.empty() || ranges.back() != range) {
        ranges.push_back(std::move(range));
      }
    }
    return absl::StrJoin(ranges, " or ");
  }

  // How many blocks fit where: ", sm_90 3 blocks a processor, 168 registers".
  std::string OccupancyText(const planpb::Kernel& kernel) const {
    std::string text;
    for (int i = 0; i < kernel.entries_size(); ++i) {
      const planpb::Occupancy& occupancy = kernel.entries(i).occupancy();
      if (occupancy.registers() != 0) {
        absl::StrAppend(&text, ", ", manifest().variants(i).name(), " ",
                        occupancy.blocks(), " blocks a processor, ",
                        occupancy.registers(), " registers");
      }
    }
    return text;
  }

  std::string AccessText(const planpb::Access& access) const {
    std::string text = plan_.buffer(access.buffer()).name();
    const auto size =
        runtime::ConstantSize(plan_.buffer(access.buffer()).bytes());
    if (access.has_shard()) {
      absl::StrAppend(&text, "[own part of ", access.shard().elements());
      if (access.offset() != 0) {
        absl::StrAppend(&text, " from byte ", access.offset());
      }
      absl::StrAppend(&text, "]");
    } else if (access.bytes() != 0 && access.bytes() != size) {
      absl::StrAppend(&text, "[", access.offset(), "+", access.bytes(), "]");
    }
    if (access.rotate() != 0) {
      absl::StrAppend(&text, "'");
    }
    return text;
  }

  // "<head> <detail>  <read> -> <written>"
  absl::Status Set(const planpb::Instruction& instruction,
                   absl::string_view head, absl::string_view detail) {
    std::vector<std::string> read;
    std::vector<std::string> written;
    for (const planpb::Access& access : instruction.accesses()) {
      if (access.mode() != planpb::Access::MODE_WRITE) {
        read.push_back(AccessText(access));
      }
      if (access.mode() != planpb::Access::MODE_READ) {
        written.push_back(AccessText(access));
      }
    }
    text_ = absl::StrCat(head, detail.empty() ? "" : " ", detail);
    if (!read.empty()) {
      absl::StrAppend(&text_, "  ", absl::StrJoin(read, ", "));
    }
    if (!written.empty()) {
      absl::StrAppend(&text_, read.empty() ? "  -> " : " -> ",
                      absl::StrJoin(written, ", "));
    }
    return absl::OkStatus();
  }

  const runtime::PlanView& plan_;
  std::string text_;
};

}  // namespace

std::string InstructionText(const runtime::PlanView& plan,
                            const planpb::Instruction& instruction) {
  TextVisitor visitor(plan);
  runtime::VisitInstruction(instruction, visitor).IgnoreError();
  std::string text;
  for (const planpb::Wait& wait : instruction.waits()) {
    absl::StrAppend(&text, "(wait ", wait.event());
    if (wait.distance() != 0) {
      absl::StrAppend(&text, "-", wait.distance());
    }
    absl::StrAppend(&text, ") ");
  }
  absl::StrAppend(&text, visitor.text());
  for (const uint32_t event : instruction.signals()) {
    absl::StrAppend(&text, " (signal ", event, ")");
  }
  return text;
}

}  // namespace accel::tools
