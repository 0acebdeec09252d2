// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per kind of instruction.
#include "runtime/executor/check_runnable.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/check_collective.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/visitor.h"

namespace accel::runtime {
namespace {

class RunnableCheck : public InstructionVisitor {
 public:
  RunnableCheck(const PlanView& plan, const MemoryLayout& layout)
      : plan_(plan), layout_(layout) {}

  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Launch& launch) override {
    const auto kernel = static_cast<int>(launch.kernel());
    for (const planpb::KernelEntry& entry :
         plan_.manifest().kernels(kernel).entries()) {
      RETURN_IF_ERROR(LaunchTiles(launch, entry, layout_.binding()).status());
    }
    return absl::OkStatus();
  }

  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Fetch&) override {
    return absl::OkStatus();
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Repeat&) override {
    return absl::OkStatus();
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::ReadMetric&) override {
    return absl::OkStatus();
  }

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Load& load) override {
    if (!load.has_shard()) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const OwnedRange owned,
                     OwnedElements(load.shard(), layout_.binding()));
    const auto bytes =
        CheckedMultiply(owned.size(), ElementBits(load.dtype()) / 8);
    return CheckRoom(instruction, "destination", load.access(),
                     bytes.value_or(UINT64_MAX));
  }

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Fill& fill) override {
    const uint64_t bytes = BytesOf(instruction, fill.access());
    if (!fill.pattern().empty() && bytes % fill.pattern().size() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("a pattern of ", fill.pattern().size(),
                       " bytes does not divide ", bytes));
    }
    return absl::OkStatus();
  }

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Copy& copy) override {
    const uint64_t from = BytesOf(instruction, copy.source());
    const uint64_t to = BytesOf(instruction, copy.destination());
    if (from == to ||
        HasRoomFor(instruction, copy.source(), copy.destination()) ||
        HasRoomFor(instruction, copy.destination(), copy.source())) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("a copy of ", from, " bytes to ", to));
  }

  absl::Status Visit(const planpb::Instruction& instruction,
                     const planpb::Collective& collective) override {
    return CheckCollective(layout_, instruction, collective);
  }

 private:
  uint64_t BytesOf(const planpb::Instruction& instruction,
                   uint32_t access) const {
    return layout_.RangeOf(instruction.accesses(static_cast<int>(access)), 0)
        .size();
  }
  // Whether `part` is a rank's part and `room` the whole of a buffer that every
  // rank has for its part, however small that is.
  bool HasRoomFor(const planpb::Instruction& instruction, uint32_t part,
                  uint32_t room) const {
    const planpb::Access& access = instruction.accesses(static_cast<int>(part));
    const planpb::Access& other = instruction.accesses(static_cast<int>(room));
    if (!access.has_shard() || other.has_shard() || other.bytes() != 0) {
      return false;
    }
    const auto bytes = OwnedBytes(
        access.shard(), ElementBits(plan_.buffer(access.buffer()).dtype()),
        layout_.binding());
    return bytes.ok() && bytes->room == BytesOf(instruction, room);
  }
  absl::Status CheckRoom(const planpb::Instruction& instruction,
                         absl::string_view what, uint32_t access,
                         uint64_t bytes) const {
    const uint64_t room = BytesOf(instruction, access);
    if (room >= bytes) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": expected an access of ", bytes, " bytes, got ", room));
  }

  const PlanView& plan_;
  const MemoryLayout& layout_;
};

bool WritesForAll(const planpb::Instruction& instruction) {
  const auto kind = instruction.collective().kind();
  return instruction.has_collective() &&
         (kind == planpb::Collective::KIND_ALL_GATHER ||
          kind == planpb::Collective::KIND_BROADCAST);
}

// Nothing orders what ranks write there but collectives that agree on it.
absl::Status CheckSharedWrites(const PlanView& plan,
                               const planpb::Instruction& instruction) {
  for (const planpb::Access& access : instruction.accesses()) {
    const planpb::Buffer& buffer = plan.buffer(access.buffer());
    if (buffer.space() == planpb::SPACE_SHARED &&
        access.mode() != planpb::Access::MODE_READ &&
        !WritesForAll(instruction)) {
      return absl::UnimplementedError(absl::StrCat(
          "buffer '", buffer.name(),
          "': expected that only all_gather and broadcast write what all "
          "ranks share, got ",
          InstructionKind(instruction)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSharedSpace(const PlanView& plan) {
  // What a communicator's memory begins at a multiple of.
  constexpr uint64_t kSharedAlignment = 4096;
  for (const planpb::Buffer& buffer : plan.manifest().buffers()) {
    if (buffer.space() != planpb::SPACE_SHARED) {
      continue;
    }
    if (buffer.region() != planpb::REGION_TRANSIENT) {
      return absl::UnimplementedError(absl::StrCat(
          "buffer '", buffer.name(),
          "': expected transient buffers only in memory that ranks share"));
    }
    if (buffer.alignment() > kSharedAlignment) {
      return absl::UnimplementedError(absl::StrCat(
          "buffer '", buffer.name(), "': expected an alignment of at most ",
          kSharedAlignment, " in memory that ranks share, got ",
          buffer.alignment()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRunnable(const PlanView& plan, const FunctionView& function,
                           const MemoryLayout& layout) {
  RunnableCheck check(plan, layout);
  for (const planpb::Instruction& instruction : function.instructions()) {
    absl::Status status = CheckSharedWrites(plan, instruction);
    if (status.ok()) {
      status = VisitInstruction(instruction, check);
    }
    if (!status.ok()) {
      return Annotate(status, plan.Describe(function, instruction));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
