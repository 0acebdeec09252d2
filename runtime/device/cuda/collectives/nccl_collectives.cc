// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's collectives in NCCL's terms.
#include "runtime/device/cuda/collectives/nccl_collectives.h"

#include <algorithm>
#include <atomic>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/exchange.h"
#include "runtime/device/cuda/cuda_memory.h"

namespace accel::runtime::cuda {
namespace {

using planpb::Collective;

// For what nobody but the library can end.
constexpr std::chrono::seconds kPatience(1);

NcclDataType TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return kNcclFloat32;
    case DType::kF64:
      return kNcclFloat64;
    default:
      return kNcclInt64;
  }
}

NcclReduction ReductionOf(CollectiveCall::Reduction reduction) {
  switch (reduction) {
    case Collective::REDUCTION_MAX:
      return kNcclMax;
    case Collective::REDUCTION_MIN:
      return kNcclMin;
    default:
      return kNcclSum;
  }
}

bool LosesNans(const CollectiveCall& call) {
  return call.reduction != Collective::REDUCTION_SUM &&
         call.dtype != DType::kI64;
}

void* At(const DeviceRange& range, uint64_t offset = 0) {
  return reinterpret_cast<void*>(range.begin + offset);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NcclCollectives>> NcclCollectives::Create(
    std::shared_ptr<const Nccl> library, const Gpu& gpu,
    Communicator& communicator, const Watchdog& watchdog) {
  auto nccl = absl::WrapUnique(
      new NcclCollectives(std::move(library), gpu, communicator, watchdog));
  RETURN_IF_ERROR(nccl->Join());
  ASSIGN_OR_RETURN(nccl->reduction_, RankReduction::Create(gpu));
  return nccl;
}

absl::Status NcclCollectives::Join() {
  NcclUniqueId id = {};
  if (communicator_.rank() == 0) {
    RETURN_IF_ERROR(library_->Check((*library_)->ncclGetUniqueId(&id), nullptr,
                                    "ncclGetUniqueId"));
  }
  std::vector<NcclUniqueId> ids(communicator_.ranks());
  RETURN_IF_ERROR(
      Exchange(communicator_, "NCCL's unique id", id, absl::MakeSpan(ids)));
  NcclConfig config;
  RETURN_IF_ERROR(library_->Check(
      (*library_)->ncclCommInitRankConfig(
          &comm_, static_cast<int>(communicator_.ranks()), ids[0],
          static_cast<int>(communicator_.rank()), &config),
      nullptr, "ncclCommInitRankConfig"));
  return Settle("ncclCommInitRankConfig");
}

absl::Status NcclCollectives::Settle(absl::string_view call) const {
  const auto owner = [&] {
    return absl::StrCat(call, " of NCCL, which waits for all ranks");
  };
  return watchdog_.Wait([&](const Deadline& deadline) {
    return PollUntil(deadline, owner, [&]() -> absl::StatusOr<bool> {
      RETURN_IF_ERROR(communicator_.Health());
      NcclResult state = kNcclSuccess;
      RETURN_IF_ERROR(
          library_->Check((*library_)->ncclCommGetAsyncError(comm_, &state),
                          comm_, "ncclCommGetAsyncError"));
      RETURN_IF_ERROR(library_->Check(state, comm_, call));
      return state != kNcclInProgress;
    });
  });
}

bool NcclCollectives::Finalize() {
  return library_
             ->Check((*library_)->ncclCommFinalize(comm_), comm_,
                     "ncclCommFinalize")
             .ok() &&
         PollUntil(
             Deadline::After(kPatience), [] { return std::string("NCCL"); },
             [&]() -> absl::StatusOr<bool> {
               NcclResult state = kNcclSuccess;
               RETURN_IF_ERROR(library_->Check(
                   (*library_)->ncclCommGetAsyncError(comm_, &state), comm_,
                   "ncclCommFinalize"));
               RETURN_IF_ERROR(
                   library_->Check(state, comm_, "ncclCommFinalize"));
               return state == kNcclSuccess;
             })
             .ok();
}

NcclCollectives::~NcclCollectives() {
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  for (const Inputs& inputs : inputs_) {
    gpu_.driver()->cuMemFree_v2(inputs.memory);
  }
  if (comm_ != nullptr && Finalize()) {
    (*library_)->ncclCommDestroy(comm_);
    return;
  }
  Abort();
  // The library gives memory back, once no graph holds its kernels any more.
  if (aborted_ != nullptr) {
    PollUntil(
        Deadline::After(kPatience), [] { return std::string("NCCL"); },
        [&]() -> absl::StatusOr<bool> { return aborted_->load(); })
        .IgnoreError();
  }
}

absl::Status NcclCollectives::Prepare(StreamHandle stream,
                                      const CollectiveNeeds& needs) {
  if (needs.extreme == 0) {
    return absl::OkStatus();
  }
  Inputs& inputs = inputs_.emplace_back();
  inputs.stream = stream;
  return AllocateForCollectives(gpu_, needs.extreme * communicator_.ranks(),
                                &inputs.memory);
}

absl::Status NcclCollectives::Run(const CollectiveCall& call,
                                  const DeviceRange& input,
                                  const DeviceRange& output,
                                  StreamHandle stream) {
  RETURN_IF_ERROR(cut_.Set(call.elements, call.granule));
  const Work work{call, input, output, stream};
  switch (call.kind) {
    case Collective::KIND_ALL_GATHER:
      return Gather(work);
    case Collective::KIND_REDUCE_SCATTER:
      return ReduceScatter(work);
    case Collective::KIND_ALL_REDUCE:
      return AllReduce(work);
    case Collective::KIND_BROADCAST:
      RETURN_IF_ERROR(library_->Check(
          (*library_)->ncclBroadcast(At(input), At(output), output.bytes,
                                     kNcclUint8, static_cast<int>(call.root),
                                     comm_, stream),
          comm_, "ncclBroadcast"));
      return Settle("ncclBroadcast");
    default:
      return absl::UnimplementedError(absl::StrCat(
          "no collective '", CollectiveKindName(call.kind), "' on GPUs"));
  }
}

bool NcclCollectives::IsEven(const CollectiveCall& call) {
  return cut_.Of(0).size() * communicator_.ranks() == call.elements;
}

absl::Status NcclCollectives::ForEachPart(
    absl::FunctionRef<NcclResult(uint32_t rank, OwnedRange owned)> part,
    absl::string_view call) {
  RETURN_IF_ERROR(
      library_->Check((*library_)->ncclGroupStart(), comm_, "ncclGroupStart"));
  absl::Status status;
  for (uint32_t rank = 0; rank < communicator_.ranks(); ++rank) {
    const OwnedRange owned = cut_.Of(rank);
    if (owned.size() != 0) {
      status.Update(library_->Check(part(rank, owned), comm_, call));
    }
  }
  status.Update(
      library_->Check((*library_)->ncclGroupEnd(), comm_, "ncclGroupEnd"));
  RETURN_IF_ERROR(status);
  return Settle(call);
}

absl::Status NcclCollectives::Gather(const Work& work) {
  const uint64_t width = work.call.width();
  if (IsEven(work.call)) {
    RETURN_IF_ERROR(library_->Check(
        (*library_)->ncclAllGather(At(work.input), At(work.output),
                                   work.input.bytes, kNcclUint8, comm_,
                                   work.stream),
        comm_, "ncclAllGather"));
    return Settle("ncclAllGather");
  }
  return ForEachPart(
      [&](uint32_t rank, OwnedRange owned) {
        void* const place = At(work.output, owned.begin * width);
        return (*library_)->ncclBroadcast(
            rank == communicator_.rank() ? At(work.input) : place, place,
            owned.size() * width, kNcclUint8, static_cast<int>(rank), comm_,
            work.stream);
      },
      "ncclBroadcast");
}

absl::Status NcclCollectives::ReduceScatter(const Work& work) {
  const CollectiveCall& call = work.call;
  if (LosesNans(call)) {
    return absl::UnimplementedError(
        "no maximum or minimum of floats that is cut over ranks");
  }
  const NcclDataType type = TypeOf(call.dtype);
  const NcclReduction reduction = ReductionOf(call.reduction);
  if (IsEven(call)) {
    RETURN_IF_ERROR(library_->Check(
        (*library_)->ncclReduceScatter(At(work.input), At(work.output),
                                       cut_.Of(0).size(), type, reduction,
                                       comm_, work.stream),
        comm_, "ncclReduceScatter"));
    return Settle("ncclReduceScatter");
  }
  return ForEachPart(
      [&](uint32_t rank, OwnedRange owned) {
        void* const part = At(work.input, owned.begin * call.width());
        return (*library_)->ncclReduce(
            part, rank == communicator_.rank() ? At(work.output) : part,
            owned.size(), type, reduction, static_cast<int>(rank), comm_,
            work.stream);
      },
      "ncclReduce");
}

absl::Status NcclCollectives::AllReduce(const Work& work) {
  const CollectiveCall& call = work.call;
  if (LosesNans(call)) {
    return ReduceExtreme(work);
  }
  RETURN_IF_ERROR(library_->Check(
      (*library_)->ncclAllReduce(
          At(work.input), At(work.output), call.elements, TypeOf(call.dtype),
          ReductionOf(call.reduction), comm_, work.stream),
      comm_, "ncclAllReduce"));
  return Settle("ncclAllReduce");
}

absl::Status NcclCollectives::ReduceExtreme(const Work& work) {
  const DevicePointer all =
      std::find_if(inputs_.begin(), inputs_.end(), [&](const Inputs& own) {
        return own.stream == work.stream;
      })->memory;
  const uint64_t bytes = work.input.bytes;
  RETURN_IF_ERROR(library_->Check(
      (*library_)->ncclAllGather(At(work.input), reinterpret_cast<void*>(all),
                                 bytes, kNcclUint8, comm_, work.stream),
      comm_, "ncclAllGather"));
  RETURN_IF_ERROR(Settle("ncclAllGather"));
  for (uint32_t rank = 1; rank < communicator_.ranks(); ++rank) {
    RETURN_IF_ERROR(reduction_->Fold(work.call.dtype, work.call.reduction, all,
                                     all + rank * bytes, work.call.elements,
                                     work.stream));
  }
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyDtoDAsync_v2, work.output.begin,
                       all, bytes, work.stream);
  return absl::OkStatus();
}

absl::Status NcclCollectives::Health() const {
  if (comm_ == nullptr) {
    return absl::OkStatus();
  }
  NcclResult state = kNcclSuccess;
  RETURN_IF_ERROR(
      library_->Check((*library_)->ncclCommGetAsyncError(comm_, &state), comm_,
                      "ncclCommGetAsyncError"));
  return library_->Check(state, comm_, "a collective");
}

// Kernels end at once. The call itself may wait for the GPU, which may never
// answer, and for graphs to be destroyed: it is made by a thread of its own.
void NcclCollectives::Abort() {
  if (comm_ == nullptr) {
    return;
  }
  auto done = std::make_shared<std::atomic<bool>>(false);
  auto thread =
      StartThread("the end of NCCL", [done, library = library_, comm = comm_] {
        (*library)->ncclCommAbort(comm);
        *done = true;
      });
  comm_ = nullptr;
  if (thread.ok()) {
    thread->detach();
    aborted_ = std::move(done);
  }
}

}  // namespace accel::runtime::cuda
