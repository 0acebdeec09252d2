// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are threads, each with a stream of a GPU that is a double.
#ifndef ACCEL_TEST_CUDA_COLLECTIVES_GPU_RANKS_H_
#define ACCEL_TEST_CUDA_COLLECTIVES_GPU_RANKS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/watchdog.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/collectives/create_collectives.h"

namespace accel::testing {

// One rank's end, with memory of its GPU.
class GpuRank : private runtime::cuda::HostWait {
public:
  // Borrows: the communicator.
  static absl::StatusOr<std::unique_ptr<GpuRank>>
  Create(runtime::CollectivesChoice choice, runtime::Communicator &communicator,
         uint64_t most_bytes);
  ~GpuRank() override;

  runtime::cuda::DeviceCollectives &collectives() { return *collectives_; }
  // Runs the call: input and output lie at these offsets of memory that held
  // `memory` before, and is returned as it is behind the call.
  absl::StatusOr<std::vector<std::byte>>
  Run(const runtime::CollectiveCall &call, std::vector<std::byte> memory,
      uint64_t input, uint64_t input_bytes, uint64_t output,
      uint64_t output_bytes);

private:
  explicit GpuRank(runtime::Communicator &communicator)
      : communicator_(communicator) {}

  absl::Status
  WaitUntil(absl::FunctionRef<std::string()> owner,
            absl::FunctionRef<absl::StatusOr<bool>()> ready) override;
  absl::Status Finish();

  runtime::Communicator &communicator_;
  runtime::Watchdog watchdog_{std::chrono::seconds(20)};
  std::unique_ptr<runtime::cuda::Gpu> gpu_;
  runtime::cuda::StreamHandle stream_ = nullptr;
  runtime::cuda::DevicePointer memory_ = 0;
  std::unique_ptr<runtime::cuda::DeviceCollectives> collectives_;
};

} // namespace accel::testing

#endif // ACCEL_TEST_CUDA_COLLECTIVES_GPU_RANKS_H_
