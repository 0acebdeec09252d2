// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buckets by the memory that instructions touch.
#include "tools/accel-inspect/instruction_buckets.h"

#include <map>
#include <set>
#include <utility>

namespace accel::tools {
namespace {

using Sets = std::vector<std::set<uint32_t>>;

bool Reads(const planpb::Access& access) {
  return access.mode() != planpb::Access::MODE_WRITE;
}

void AddState(const runtime::PlanView& plan,
              const runtime::FunctionView& function, Sets& sets) {
  std::map<uint32_t, uint32_t> bucket_of;  // buffer
  const auto& buckets = plan.manifest().buckets();
  for (int i = 0; i < buckets.size(); ++i) {
    for (const planpb::Segment& segment : buckets[i].segments()) {
      for (const planpb::Slot& slot : segment.slots()) {
        bucket_of[slot.buffer()] = static_cast<uint32_t>(i);
      }
    }
  }
  for (const planpb::Instruction& instruction : function.instructions()) {
    for (const planpb::Access& access : instruction.accesses()) {
      const auto bucket = bucket_of.find(access.buffer());
      if (bucket != bucket_of.end()) {
        sets[instruction.id()].insert(bucket->second);
      }
    }
  }
}

// A transient buffer that a collective reads for a bucket holds that bucket's
// gradient, from its first write after the one before to its last read.
class GradientBuffers {
 public:
  explicit GradientBuffers(const runtime::PlanView& plan) : plan_(plan) {}

  void Step(const planpb::Instruction& instruction, Sets& sets) {
    const uint32_t reduced = instruction.collective().bucket_plus_one();
    for (const planpb::Access& access : instruction.accesses()) {
      const planpb::Buffer& buffer = plan_.buffer(access.buffer());
      if (buffer.region() != planpb::REGION_TRANSIENT ||
          buffer.space() == planpb::SPACE_SHARED) {
        continue;
      }
      Value& value = values_[access.buffer()];
      if (reduced != 0) {
        for (const uint32_t id : value.pending) {
          sets[id].insert(reduced - 1);
        }
        value = {reduced, {}};
      } else if (value.reduced_plus_one != 0 && Reads(access)) {
        sets[instruction.id()].insert(value.reduced_plus_one - 1);
      } else {
        value.reduced_plus_one = 0;
        value.pending.push_back(instruction.id());
      }
    }
  }

 private:
  struct Value {
    uint32_t reduced_plus_one = 0;  // the bucket, once it is known
    std::vector<uint32_t> pending;  // who touched it before
  };
  const runtime::PlanView& plan_;
  std::map<uint32_t, Value> values_;
};

}  // namespace

std::vector<std::vector<uint32_t>> InstructionBuckets(
    const runtime::PlanView& plan, const runtime::FunctionView& function,
    absl::Span<const runtime::GatheredSegment> gathered) {
  Sets sets(function.instructions().size());
  AddState(plan, function, sets);
  for (const runtime::GatheredSegment& segment : gathered) {
    const uint32_t bucket = segment.gather->collective().bucket_plus_one();
    for (const runtime::Instance& read : segment.reads) {
      if (bucket != 0) {
        sets[read.instruction->id()].insert(bucket - 1);
      }
    }
  }
  GradientBuffers gradients(plan);
  for (const planpb::Instruction& instruction : function.instructions()) {
    gradients.Step(instruction, sets);
  }
  std::vector<std::vector<uint32_t>> result;
  for (const planpb::Instruction& instruction : function.instructions()) {
    const uint32_t known = instruction.block_plus_one();
    const std::set<uint32_t>& set = sets[instruction.id()];
    if (known != 0) {
      result.push_back({known - 1});
    } else {
      result.emplace_back(set.begin(), set.end());
    }
  }
  return result;
}

}  // namespace accel::tools
