// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every rank compares all GPUs, so that all come to the same result.
#include "runtime/device/cuda/collectives/own_gpus.h"

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/exchange.h"

namespace accel::runtime::cuda {

absl::Status CheckOwnGpus(Communicator& communicator, const Gpu& gpu) {
  std::vector<Uuid> all(communicator.ranks());
  RETURN_IF_ERROR(Exchange(communicator, "the ranks' GPUs", gpu.uuid(),
                           absl::MakeSpan(all)));
  for (size_t rank = 1; rank < all.size(); ++rank) {
    for (size_t other = 0; other < rank; ++other) {
      if (std::memcmp(&all[rank], &all[other], sizeof(Uuid)) == 0) {
        return absl::UnimplementedError(absl::StrCat(
            "expected a GPU of its own for each rank, which NCCL needs, got "
            "the same one (",
            gpu.name(), ") on ranks ", other, " and ", rank,
            "; let CUDA_VISIBLE_DEVICES name each GPU once, or let ranks share "
            "one as threads (accel-run --ranks-as-threads)"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
