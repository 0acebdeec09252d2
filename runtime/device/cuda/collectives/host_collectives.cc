// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To the host, over the ranks, and back.
#include "runtime/device/cuda/collectives/host_collectives.h"

#include <algorithm>

#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::Status HostCollectives::Prepare(StreamHandle stream,
                                      const CollectiveNeeds& needs) {
  if (needs.tensor == 0) {
    return absl::OkStatus();
  }
  Staging& staging = staging_.emplace_back();
  staging.stream = stream;
  ASSIGN_OR_RETURN(staging.input, PinnedMemory::Create(gpu_, needs.tensor));
  ASSIGN_OR_RETURN(staging.output, PinnedMemory::Create(gpu_, needs.tensor));
  return absl::OkStatus();
}

absl::Status HostCollectives::Run(const CollectiveCall& call,
                                  const DeviceRange& input,
                                  const DeviceRange& output,
                                  StreamHandle stream) {
  const Driver& driver = gpu_.driver();
  const Staging& staging =
      *std::find_if(staging_.begin(), staging_.end(),
                    [&](const Staging& own) { return own.stream == stream; });
  CollectiveCall own = call;
  own.input = absl::MakeSpan(staging.input.data(), input.bytes);
  own.output = absl::MakeSpan(staging.output.data(), output.bytes);
  if (input.bytes != 0) {
    RETURN_IF_CUDA_ERROR(driver, cuMemcpyDtoHAsync_v2, staging.input.data(),
                         input.begin, input.bytes, stream);
  }
  // Also until the GPU has read the output of the collective before.
  RETURN_IF_ERROR(wait_.WaitUntil(
      [] { return std::string("the GPU to have what a collective takes"); },
      [&] { return driver.IsDone(stream); }));
  RETURN_IF_ERROR(communicator_.Run(own));
  if (output.bytes != 0) {
    RETURN_IF_CUDA_ERROR(driver, cuMemcpyHtoDAsync_v2, output.begin,
                         staging.output.data(), output.bytes, stream);
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
