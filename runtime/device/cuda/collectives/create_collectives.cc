// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three ways.
#include "runtime/device/cuda/collectives/create_collectives.h"

#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/card_collectives.h"
#include "runtime/device/cuda/collectives/host_collectives.h"
#include "runtime/device/cuda/collectives/nccl_collectives.h"
#include "runtime/device/cuda/collectives/own_gpus.h"

namespace accel::runtime::cuda {
absl::StatusOr<std::unique_ptr<DeviceCollectives>> CreateCollectives(
    Vfs& vfs, const CollectivesOptions& options, const Gpu& gpu,
    Communicator& communicator, const Watchdog& watchdog, HostWait& wait) {
  const bool is_shared = options.ranks_on_gpu > 1;
  if (options.choice == CollectivesChoice::kHost) {
    return std::make_unique<HostCollectives>(gpu, communicator, wait);
  }
  if (options.choice == CollectivesChoice::kCard ||
      (options.choice == CollectivesChoice::kAuto && is_shared)) {
    return CardCollectives::Create(gpu, communicator);
  }
  RETURN_IF_ERROR(CheckOwnGpus(communicator, gpu));
  ASSIGN_OR_RETURN(auto library, Nccl::Open(vfs, options.libraries));
  return NcclCollectives::Create(std::move(library), gpu, communicator,
                                 watchdog);
}

}  // namespace accel::runtime::cuda
