// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives by the host's communicator: slow, and the same bits as on CPUs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_HOST_COLLECTIVES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_HOST_COLLECTIVES_H_

#include <string>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/device/cuda/host_wait.h"
#include "runtime/device/cuda/pinned_memory.h"

namespace accel::runtime::cuda {

class HostCollectives : public DeviceCollectives {
 public:
  // Borrows: everything.
  HostCollectives(const Gpu& gpu, Communicator& communicator, HostWait& wait)
      : gpu_(gpu), communicator_(communicator), wait_(wait) {}

  std::string Describe() const override { return "host"; }
  absl::Status Prepare(StreamHandle stream,
                       const CollectiveNeeds& needs) override;
  // Waits until the stream is done, and returns when the result is on its way
  // back.
  absl::Status Run(const CollectiveCall& call, const DeviceRange& input,
                   const DeviceRange& output, StreamHandle stream) override;
  bool can_be_captured() const override { return false; }
  absl::Status Health() const override { return absl::OkStatus(); }
  void Abort() override {}

 private:
  struct Staging {
    StreamHandle stream = nullptr;
    PinnedMemory input;
    PinnedMemory output;
  };

  const Gpu& gpu_;
  Communicator& communicator_;
  HostWait& wait_;
  std::vector<Staging> staging_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_HOST_COLLECTIVES_H_
