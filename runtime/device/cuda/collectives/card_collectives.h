// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of ranks that are threads of one process and share one GPU:
// copies, and sums in the order of the ranks, with the host's bits.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CARD_COLLECTIVES_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CARD_COLLECTIVES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/device/cuda/collectives/rank_reduction.h"

namespace accel::runtime::cuda {

// The ranks tell each other where their tensors lie, then each GPU stream waits
// for what it reads, and for who reads it: hosts wait for hosts, never for the
// GPU.
class CardCollectives : public DeviceCollectives {
 public:
  // Borrows: everything.
  static absl::StatusOr<std::unique_ptr<CardCollectives>> Create(
      const Gpu& gpu, Communicator& communicator);
  // Requires: the last call of every rank has returned, for it waits for events
  // of this one.
  ~CardCollectives() override;

  std::string Describe() const override { return "card"; }
  absl::Status Prepare(StreamHandle stream,
                       const CollectiveNeeds& needs) override;
  absl::Status Run(const CollectiveCall& call, const DeviceRange& input,
                   const DeviceRange& output, StreamHandle stream) override;
  // What a rank waits for is known when all have come.
  bool can_be_captured() const override { return false; }
  absl::Status Health() const override { return absl::OkStatus(); }
  // Nothing waits on the GPU for a rank that has not come on the host.
  void Abort() override {}

 private:
  // Points of a call that others wait for.
  enum Point { kReady, kReduced, kDone, kPoints };
  struct Peer {
    DevicePointer input = 0;
    DevicePointer output = 0;
    EventHandle events[kPoints] = {};
  };
  struct Sum {
    StreamHandle stream = nullptr;
    DevicePointer memory = 0;
  };
  // Of one call.
  struct Work {
    const CollectiveCall& call;
    DevicePointer output;
    StreamHandle stream;

    DevicePointer At(DevicePointer tensor, uint64_t element) const {
      return tensor + element * call.width();
    }
  };

  CardCollectives(const Gpu& gpu, Communicator& communicator)
      : gpu_(gpu),
        communicator_(communicator),
        peers_(communicator.ranks()),
        cut_(communicator.ranks()) {}

  absl::Status Move(const Work& work);
  absl::Status Gather(const Work& work);
  absl::Status AllReduce(const Work& work);
  // Elements of the ranks' inputs, to `to`.
  absl::Status Reduce(const Work& work, OwnedRange range, DevicePointer to);
  absl::Status Copy(DevicePointer to, DevicePointer from, uint64_t bytes,
                    StreamHandle stream) const;
  // The stream waits for this point of all ranks, which have all come to it on
  // the host.
  absl::Status WaitForAll(Point point, StreamHandle stream) const;
  // Comes to the point, and waits for all.
  absl::Status Pass(Point point, const Work& work);

  const Gpu& gpu_;
  Communicator& communicator_;
  std::unique_ptr<RankReduction> reduction_;
  Peer own_;
  std::vector<Peer> peers_;  // per rank, of the last call
  std::vector<Sum> sums_;    // per stream: memory for a part of a reduction
  ShardCut cut_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_CARD_COLLECTIVES_H_
