// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay of a function over a map from bytes to the buffer that owns them.
#include "runtime/plan/verify/verify_memory.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/verify/interval_map.h"

namespace accel::runtime {
namespace {

// Whose value a byte holds.
struct Owner {
  uint32_t buffer_plus_one = 0;  // 0: nothing was written yet
  const planpb::Instruction* writer = nullptr;
};

class MemoryChecker {
 public:
  MemoryChecker(const PlanView& plan, const FunctionView& function,
                const MemoryLayout& layout)
      : plan_(plan), function_(function), layout_(layout) {}

  absl::Status Run(uint64_t repetitions) {
    return function_.Walk(repetitions, [this](const Instance& instance) {
      return Step(instance);
    });
  }

 private:
  absl::Status Step(const Instance& instance);
  absl::Status CheckWithin(const Instance& instance) const;
  absl::Status CheckRead(const Instance& instance,
                         const planpb::Access& access) const;
  bool IsTransient(const planpb::Access& access) const {
    return plan_.buffer(access.buffer()).region() == planpb::REGION_TRANSIENT;
  }
  std::string NameOf(uint32_t buffer) const {
    return absl::StrCat("buffer '", plan_.buffer(buffer).name(), "'");
  }

  const PlanView& plan_;
  const FunctionView& function_;
  const MemoryLayout& layout_;
  std::array<IntervalMap<Owner>, kSpaces> owners_;
};

bool Overlap(const ByteRange& a, const ByteRange& b) {
  // Empty ones, parts of ranks that own nothing, overlap nothing.
  return a.space == b.space &&
         std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

absl::Status MemoryChecker::CheckWithin(const Instance& instance) const {
  const auto& accesses = instance.instruction->accesses();
  for (int i = 0; i < accesses.size(); ++i) {
    for (int j = 0; j < i; ++j) {
      const planpb::Access& a = accesses[i];
      const planpb::Access& b = accesses[j];
      const bool writes = a.mode() != planpb::Access::MODE_READ ||
                          b.mode() != planpb::Access::MODE_READ;
      if (!writes || a.buffer() == b.buffer()) {
        continue;
      }
      if (Overlap(layout_.RangeOf(a, instance.iteration),
                  layout_.RangeOf(b, instance.iteration))) {
        return absl::FailedPreconditionError(absl::StrCat(
            plan_.Describe(function_, *instance.instruction), " uses ",
            NameOf(b.buffer()), " and ", NameOf(a.buffer()),
            ", one of them to write, but they share bytes"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status MemoryChecker::CheckRead(const Instance& instance,
                                      const planpb::Access& access) const {
  const ByteRange range = layout_.RangeOf(access, instance.iteration);
  absl::Status result;
  bool written = false;
  owners_[range.space - 1].ForEach(
      range.begin, range.end, [&](const Owner& owner) {
        if (owner.buffer_plus_one == access.buffer() + 1) {
          written = true;
        } else if (owner.buffer_plus_one != 0) {
          result = absl::FailedPreconditionError(absl::StrCat(
              plan_.Describe(function_, *instance.instruction), " reads ",
              NameOf(access.buffer()), ", but ",
              plan_.Describe(function_, *owner.writer), " has written ",
              NameOf(owner.buffer_plus_one - 1), " over it"));
        }
        return result.ok();
      });
  if (result.ok() && !written && range.size() > 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        plan_.Describe(function_, *instance.instruction), " reads ",
        NameOf(access.buffer()), " before anything has written it"));
  }
  return result;
}

absl::Status MemoryChecker::Step(const Instance& instance) {
  RETURN_IF_ERROR(CheckWithin(instance));
  for (const planpb::Access& access : instance.instruction->accesses()) {
    if (IsTransient(access) && access.mode() != planpb::Access::MODE_WRITE) {
      RETURN_IF_ERROR(CheckRead(instance, access));
    }
  }
  for (const planpb::Access& access : instance.instruction->accesses()) {
    if (!IsTransient(access) || access.mode() == planpb::Access::MODE_READ) {
      continue;
    }
    const ByteRange range = layout_.RangeOf(access, instance.iteration);
    owners_[range.space - 1].Assign(
        range.begin, range.end,
        Owner{access.buffer() + 1, instance.instruction});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyMemory(const PlanView& plan, const FunctionView& function,
                          const MemoryLayout& layout) {
  // What an iteration finds was left by the ones before it, as many as a buffer
  // has copies.
  uint64_t copies = 1;
  for (const planpb::Buffer& buffer : plan.manifest().buffers()) {
    copies = std::max<uint64_t>(copies, buffer.copies());
  }
  return MemoryChecker(plan, function, layout).Run(copies + 2);
}

absl::Status VerifyMemory(const PlanView& plan, const MemoryLayout& layout) {
  for (const FunctionView& function : plan.functions()) {
    RETURN_IF_ERROR(VerifyMemory(plan, function, layout));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
