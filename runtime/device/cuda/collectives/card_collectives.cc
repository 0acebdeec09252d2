// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank reads the others' memory, which lies on the same GPU.
#include "runtime/device/cuda/collectives/card_collectives.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/exchange.h"
#include "runtime/device/cuda/cuda_memory.h"

namespace accel::runtime::cuda {

using planpb::Collective;

absl::StatusOr<std::unique_ptr<CardCollectives>> CardCollectives::Create(
    const Gpu& gpu, Communicator& communicator) {
  auto card = absl::WrapUnique(new CardCollectives(gpu, communicator));
  ASSIGN_OR_RETURN(card->reduction_, RankReduction::Create(gpu));
  for (EventHandle& event : card->own_.events) {
    RETURN_IF_CUDA_ERROR(gpu.driver(), cuEventCreate, &event,
                         kEventDisableTiming);
  }
  return card;
}

CardCollectives::~CardCollectives() {
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  for (EventHandle event : own_.events) {
    if (event != nullptr) {
      gpu_.driver()->cuEventDestroy_v2(event);
    }
  }
  for (const Sum& sum : sums_) {
    gpu_.driver()->cuMemFree_v2(sum.memory);
  }
}

absl::Status CardCollectives::Prepare(StreamHandle stream,
                                      const CollectiveNeeds& needs) {
  if (needs.reduced == 0) {
    return absl::OkStatus();
  }
  Sum& sum = sums_.emplace_back();
  sum.stream = stream;
  return AllocateForCollectives(gpu_, needs.reduced, &sum.memory);
}

absl::Status CardCollectives::Run(const CollectiveCall& call,
                                  const DeviceRange& input,
                                  const DeviceRange& output,
                                  StreamHandle stream) {
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventRecord, own_.events[kReady],
                       stream);
  own_.input = input.begin;
  own_.output = output.begin;
  RETURN_IF_ERROR(
      Exchange(communicator_, call.name, own_, absl::MakeSpan(peers_)));
  RETURN_IF_ERROR(WaitForAll(kReady, stream));
  const Work work{call, output.begin, stream};
  RETURN_IF_ERROR(Move(work));
  // Until nobody reads what comes to lie here next.
  return Pass(kDone, work);
}

absl::Status CardCollectives::Move(const Work& work) {
  const CollectiveCall& call = work.call;
  // An all_reduce is cut like any tensor, whatever its granule.
  RETURN_IF_ERROR(cut_.Set(call.elements, call.granule));
  switch (call.kind) {
    case Collective::KIND_ALL_GATHER:
      return Gather(work);
    case Collective::KIND_REDUCE_SCATTER:
      return Reduce(work, cut_.Of(communicator_.rank()), work.output);
    case Collective::KIND_ALL_REDUCE:
      return AllReduce(work);
    case Collective::KIND_BROADCAST:
      return Copy(work.output, peers_[call.root].input,
                  call.elements * call.width(), work.stream);
    default:
      return absl::UnimplementedError(absl::StrCat(
          "no collective '", CollectiveKindName(call.kind), "' on GPUs"));
  }
}

absl::Status CardCollectives::Gather(const Work& work) {
  for (uint32_t rank = 0; rank < peers_.size(); ++rank) {
    const OwnedRange owned = cut_.Of(rank);
    RETURN_IF_ERROR(Copy(work.At(work.output, owned.begin), peers_[rank].input,
                         owned.size() * work.call.width(), work.stream));
  }
  return absl::OkStatus();
}

absl::Status CardCollectives::AllReduce(const Work& work) {
  const OwnedRange owned = cut_.Of(communicator_.rank());
  RETURN_IF_ERROR(Reduce(work, owned, work.At(work.output, owned.begin)));
  RETURN_IF_ERROR(Pass(kReduced, work));
  for (uint32_t rank = 0; rank < peers_.size(); ++rank) {
    const OwnedRange part = cut_.Of(rank);
    RETURN_IF_ERROR(Copy(work.At(work.output, part.begin),
                         work.At(peers_[rank].output, part.begin),
                         part.size() * work.call.width(), work.stream));
  }
  return absl::OkStatus();
}

absl::Status CardCollectives::Reduce(const Work& work, OwnedRange range,
                                     DevicePointer to) {
  const CollectiveCall& call = work.call;
  const uint64_t bytes = range.size() * call.width();
  if (bytes == 0) {
    return absl::OkStatus();
  }
  // Apart from the output, which may be this rank's input.
  const DevicePointer sum =
      std::find_if(sums_.begin(), sums_.end(), [&](const Sum& own) {
        return own.stream == work.stream;
      })->memory;
  RETURN_IF_ERROR(
      Copy(sum, work.At(peers_[0].input, range.begin), bytes, work.stream));
  for (size_t rank = 1; rank < peers_.size(); ++rank) {
    RETURN_IF_ERROR(reduction_->Fold(call.dtype, call.reduction, sum,
                                     work.At(peers_[rank].input, range.begin),
                                     range.size(), work.stream));
  }
  return Copy(to, sum, bytes, work.stream);
}

absl::Status CardCollectives::Copy(DevicePointer to, DevicePointer from,
                                   uint64_t bytes, StreamHandle stream) const {
  if (bytes != 0 && to != from) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyDtoDAsync_v2, to, from, bytes,
                         stream);
  }
  return absl::OkStatus();
}

absl::Status CardCollectives::WaitForAll(Point point,
                                         StreamHandle stream) const {
  for (const Peer& peer : peers_) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuStreamWaitEvent, stream,
                         peer.events[point], 0);
  }
  return absl::OkStatus();
}

absl::Status CardCollectives::Pass(Point point, const Work& work) {
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuEventRecord, own_.events[point],
                       work.stream);
  RETURN_IF_ERROR(Arrive(communicator_, work.call.name));
  return WaitForAll(point, work.stream);
}

}  // namespace accel::runtime::cuda
