// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether results of libraries are added or stored, as far as the host knows.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_ACCUMULATION_FLAGS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_ACCUMULATION_FLAGS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime::cuda {

// The flags that say whether what a library computes is added to what is there
// or stored.
// Fills write them, and nothing else; so whoever enqueues fills knows what
// a flag is for what is enqueued behind.
class AccumulationFlags {
 public:
  // Those of all calls of libraries in a variant of the plan.
  // FailedPrecondition where something else than a fill writes one.
  static absl::StatusOr<AccumulationFlags> Find(const PlanView& plan,
                                                int variant,
                                                const MemoryLayout& layout);

  void Add(const ByteRange& range);
  // Of each fill, when it is enqueued.
  void NoteFill(const ByteRange& range, absl::string_view pattern);
  // FailedPrecondition where no fill has said.
  absl::StatusOr<bool> Get(const ByteRange& range) const;
  bool Overlaps(const ByteRange& range) const;

 private:
  absl::Status CheckWriters(const PlanView& plan,
                            const MemoryLayout& layout) const;

  enum class Value : uint8_t { kUnknown, kFalse, kTrue };
  struct Flag {
    ByteRange range;
    Value value = Value::kUnknown;
  };
  std::vector<Flag> flags_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_ACCUMULATION_FLAGS_H_
