// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives by NCCL: kernels of its own on the rank's streams.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_COLLECTIVES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_COLLECTIVES_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "runtime/base/watchdog.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/device/cuda/collectives/nccl.h"
#include "runtime/device/cuda/collectives/rank_reduction.h"

namespace accel::runtime::cuda {

// NCCL does not say in which order it sums: bits are the same on the same GPUs,
// with the same version and number of ranks.
class NcclCollectives : public DeviceCollectives {
 public:
  // Joins the ranks of the communicator, which all call this. Waits end as the
  // watchdog says.
  // Borrows: everything but `library`.
  static absl::StatusOr<std::unique_ptr<NcclCollectives>> Create(
      std::shared_ptr<const Nccl> library, const Gpu& gpu,
      Communicator& communicator, const Watchdog& watchdog);
  ~NcclCollectives() override;

  std::string Describe() const override {
    return "nccl " + library_->Version();
  }
  absl::Status Prepare(StreamHandle stream,
                       const CollectiveNeeds& needs) override;
  absl::Status Run(const CollectiveCall& call, const DeviceRange& input,
                   const DeviceRange& output, StreamHandle stream) override;
  bool can_be_captured() const override { return true; }
  absl::Status Health() const override;
  void Abort() override;

 private:
  // Of a stream: the inputs of all ranks.
  struct Inputs {
    StreamHandle stream = nullptr;
    DevicePointer memory = 0;
  };
  // Of one call.
  struct Work {
    const CollectiveCall& call;
    const DeviceRange& input;
    const DeviceRange& output;
    StreamHandle stream;
  };

  NcclCollectives(std::shared_ptr<const Nccl> library, const Gpu& gpu,
                  Communicator& communicator, const Watchdog& watchdog)
      : library_(std::move(library)),
        gpu_(gpu),
        communicator_(communicator),
        watchdog_(watchdog),
        cut_(communicator.ranks()) {}

  absl::Status Join();
  // Until the communicator has done what it was last asked for.
  absl::Status Settle(absl::string_view call) const;
  absl::Status Gather(const Work& work);
  absl::Status ReduceScatter(const Work& work);
  absl::Status AllReduce(const Work& work);
  // A maximum or minimum of floats, of which NCCL would lose NaNs.
  absl::Status ReduceExtreme(const Work& work);
  // Calls `part` for each rank that owns something, in one group.
  absl::Status ForEachPart(
      absl::FunctionRef<NcclResult(uint32_t rank, OwnedRange owned)> part,
      absl::string_view call);
  // Lets the library wait for the others; true if they have come in time.
  bool Finalize();
  // Whether all ranks own the same number of elements.
  bool IsEven(const CollectiveCall& call);

  const std::shared_ptr<const Nccl> library_;
  const Gpu& gpu_;
  Communicator& communicator_;
  const Watchdog& watchdog_;
  NcclComm comm_ = nullptr;
  // Whether the thread that aborts has ended; null while there is none.
  std::shared_ptr<std::atomic<bool>> aborted_;
  std::unique_ptr<RankReduction> reduction_;
  std::vector<Inputs> inputs_;
  ShardCut cut_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_COLLECTIVES_H_
