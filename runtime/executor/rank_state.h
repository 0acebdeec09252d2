// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The persistent buffers of a rank, as the host reads and writes them while no
// stream works.
#ifndef ACCEL_RUNTIME_EXECUTOR_RANK_STATE_H_
#define ACCEL_RUNTIME_EXECUTOR_RANK_STATE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/device.h"
#include "runtime/executor/slot_tensor.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// The methods are what Executor says of theirs.
class RankState {
 public:
  // `communicator`: null for a rank alone. Borrows: everything.
  RankState(const Plan& plan, const MemoryLayout& layout, DeviceMemory& memory,
            Communicator* communicator)
      : plan_(plan),
        layout_(layout),
        memory_(memory),
        communicator_(communicator) {}

  // Fills the buffers of constants with the plan's bytes.
  absl::Status LoadConstants();

  absl::Status Read(uint32_t buffer, uint64_t offset,
                    absl::Span<std::byte> dst) const;
  absl::Status Write(uint32_t buffer, uint64_t offset,
                     absl::Span<const std::byte> src);
  absl::Status ReadTensor(const SlotTensor& slot, uint64_t first,
                          uint64_t elements, absl::Span<std::byte> dst) const;

 private:
  absl::StatusOr<ByteRange> RangeOf(uint32_t buffer, uint64_t offset,
                                    uint64_t size) const;
  // What one rank holds, to all ranks; `dst` may be empty.
  absl::Status ShareTensor(const SlotTensor& slot, const SlotPiece& piece,
                           absl::Span<std::byte> dst) const;

  const Plan& plan_;
  const MemoryLayout& layout_;
  DeviceMemory& memory_;
  Communicator* const communicator_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_RANK_STATE_H_
