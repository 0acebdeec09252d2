// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the fills that write flags.
#include "runtime/device/cuda/accumulation_flags.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/call_launches.h"

namespace accel::runtime::cuda {
namespace {

bool Overlap(const ByteRange& a, const ByteRange& b) {
  return a.space == b.space && a.begin < b.end && b.begin < a.end;
}

// The operand that is the flag of `call`, if it has one.
std::optional<uint32_t> FlagOf(const planpb::LibraryCall& call) {
  if (call.product().mode() == planpb::Product::RESULT_ADDED_IF) {
    return call.product().flag();
  }
  return call.convolution().mode() == planpb::Product::RESULT_ADDED_IF
             ? std::optional(call.convolution().flag())
             : std::nullopt;
}

}  // namespace

absl::StatusOr<AccumulationFlags> AccumulationFlags::Find(
    const PlanView& plan, int variant, const MemoryLayout& layout) {
  AccumulationFlags flags;
  ForEachLaunch(plan, layout, [&](uint32_t kernel, RangeOfOperand range) {
    const std::optional<uint32_t> flag =
        FlagOf(plan.manifest()
                   .kernels(static_cast<int>(kernel))
                   .entries(variant)
                   .call());
    if (flag) {
      flags.Add(range(*flag));
    }
  });
  RETURN_IF_ERROR(flags.CheckWriters(plan, layout));
  return flags;
}

absl::Status AccumulationFlags::CheckWriters(const PlanView& plan,
                                             const MemoryLayout& layout) const {
  const auto touches_flag = [&](const planpb::Access& access) {
    for (uint64_t iteration = 0; iteration < kMostCopies; ++iteration) {
      if (Overlaps(layout.RangeOf(access, iteration))) {
        return true;
      }
    }
    return false;
  };
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      for (const planpb::Access& access : instruction.accesses()) {
        if (access.mode() != planpb::Access::MODE_READ &&
            !instruction.has_fill() && touches_flag(access)) {
          return absl::FailedPreconditionError(absl::StrCat(
              plan.Describe(function, instruction),
              " writes a flag that says whether what a library computes is "
              "added or stored, which only a fill may"));
        }
      }
    }
  }
  return absl::OkStatus();
}

void AccumulationFlags::Add(const ByteRange& range) {
  if (!Overlaps(range)) {
    flags_.push_back({range, Value::kUnknown});
  }
}

bool AccumulationFlags::Overlaps(const ByteRange& range) const {
  return std::any_of(flags_.begin(), flags_.end(), [&](const Flag& flag) {
    return Overlap(flag.range, range);
  });
}

void AccumulationFlags::NoteFill(const ByteRange& range,
                                 absl::string_view pattern) {
  for (Flag& flag : flags_) {
    if (Overlap(flag.range, range)) {
      const size_t place = flag.range.begin - range.begin;
      const bool is_true =
          !pattern.empty() && pattern[place % pattern.size()] != 0;
      flag.value = is_true ? Value::kTrue : Value::kFalse;
    }
  }
}

absl::StatusOr<bool> AccumulationFlags::Get(const ByteRange& range) const {
  for (const Flag& flag : flags_) {
    if (Overlap(flag.range, range) && flag.value != Value::kUnknown) {
      return flag.value == Value::kTrue;
    }
  }
  return absl::FailedPreconditionError(
      "no fill has said whether what a library computes is added or stored");
}

}  // namespace accel::runtime::cuda
