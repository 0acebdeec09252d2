// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One GPU for all ranks of `card`, and one for each otherwise.
#include "test/cuda/collectives/gpu_ranks.h"

#include <atomic>

#include "absl/memory/memory.h"
#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/posix_vfs.h"

namespace accel::testing {

using runtime::CollectiveCall;
using runtime::CollectivesChoice;
using runtime::Deadline;

absl::StatusOr<std::unique_ptr<GpuRank>>
GpuRank::Create(CollectivesChoice choice, runtime::Communicator &communicator,
                uint64_t most_bytes) {
  static const std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  const bool share = choice == CollectivesChoice::kCard;
  const runtime::cuda::LibrarySearch libraries = {ACCEL_CUDA_DOUBLES, ""};
  auto rank = absl::WrapUnique(new GpuRank(communicator));
  ASSIGN_OR_RETURN(auto driver, runtime::cuda::Driver::Open(*vfs, libraries));
  ASSIGN_OR_RETURN(rank->gpu_,
                   runtime::cuda::Gpu::Open(
                       std::move(driver),
                       share ? 0 : static_cast<int>(communicator.rank()),
                       std::make_shared<std::atomic<bool>>(false)));
  RETURN_IF_ERROR(rank->gpu_->MakeCurrent());
  RETURN_IF_CUDA_ERROR(rank->gpu_->driver(), cuStreamCreate, &rank->stream_,
                       runtime::cuda::kStreamNonBlocking);
  RETURN_IF_CUDA_ERROR(rank->gpu_->driver(), cuMemAlloc_v2, &rank->memory_,
                       most_bytes);
  ASSIGN_OR_RETURN(
      rank->collectives_,
      runtime::cuda::CreateCollectives(
          *vfs,
          {choice, share ? static_cast<int>(communicator.ranks()) : 1,
           libraries},
          *rank->gpu_, communicator, rank->watchdog_, *rank));
  RETURN_IF_ERROR(rank->collectives_->Prepare(
      rank->stream_, {most_bytes, most_bytes, most_bytes}));
  return rank;
}

GpuRank::~GpuRank() {
  collectives_.reset();
  if (gpu_ != nullptr && gpu_->MakeCurrent().ok()) {
    gpu_->driver()->cuStreamDestroy_v2(stream_);
    gpu_->driver()->cuMemFree_v2(memory_);
  }
}

absl::Status
GpuRank::WaitUntil(absl::FunctionRef<std::string()> owner,
                   absl::FunctionRef<absl::StatusOr<bool>()> ready) {
  return PollUntil(Deadline::After(std::chrono::seconds(20)), owner, ready);
}

absl::Status GpuRank::Finish() {
  return WaitUntil([] { return std::string("the GPU"); },
                   [&] { return gpu_->driver().IsDone(stream_); });
}

absl::StatusOr<std::vector<std::byte>>
GpuRank::Run(const CollectiveCall &call, std::vector<std::byte> memory,
             uint64_t input, uint64_t input_bytes, uint64_t output,
             uint64_t output_bytes) {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuMemcpyHtoDAsync_v2, memory_,
                       memory.data(), memory.size(), stream_);
  RETURN_IF_ERROR(collectives_->Run(call, {memory_ + input, input_bytes},
                                    {memory_ + output, output_bytes}, stream_));
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuMemcpyDtoHAsync_v2, memory.data(),
                       memory_, memory.size(), stream_);
  RETURN_IF_ERROR(Finish());
  return memory;
}

} // namespace accel::testing
