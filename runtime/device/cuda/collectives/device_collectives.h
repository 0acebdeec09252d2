// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives on memory of GPUs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_DEVICE_COLLECTIVES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_DEVICE_COLLECTIVES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "runtime/comm/collective_call.h"
#include "runtime/device/cuda/abi/driver.h"

namespace accel::runtime::cuda {

struct DeviceRange {
  DevicePointer begin = 0;
  uint64_t bytes = 0;
};

// What the collectives of one stream need at most, in bytes.
struct CollectiveNeeds {
  uint64_t tensor = 0;   // of an input or output
  uint64_t reduced = 0;  // of a rank's part of a reduction
  uint64_t extreme = 0;  // of that of a maximum or minimum
};

// One rank's end. Calls are made in the same order on all ranks.
//
// Threads: one at a time.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  // "nccl 2.28.3"
  virtual std::string Describe() const = 0;
  // Allocates what calls on a stream take; before the first of them.
  virtual absl::Status Prepare(StreamHandle stream,
                               const CollectiveNeeds& needs) = 0;
  // Enqueues the call, whose own input and output are not used. May wait for
  // other ranks on the host.
  virtual absl::Status Run(const CollectiveCall& call, const DeviceRange& input,
                           const DeviceRange& output, StreamHandle stream) = 0;
  // Whether a CUDA graph may hold what Run enqueues.
  virtual bool can_be_captured() const = 0;
  // OK, or the error of a call that is under way.
  virtual absl::Status Health() const = 0;
  // Ends what is under way, which its peers may never come to.
  virtual void Abort() = 0;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_DEVICE_COLLECTIVES_H_
