// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of the host's, between steps.
#include "runtime/device/cuda/cuda_memory.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr uint64_t kPassageBytes = uint64_t{4} << 20;
// A copy of so much takes a millisecond.
constexpr std::chrono::seconds kPatience(60);

}  // namespace

absl::StatusOr<std::unique_ptr<CudaMemory>> CudaMemory::Create(
    const Gpu& gpu, const MemoryLayout& layout) {
  for (int i = 0; i < kSpaces; ++i) {
    const auto space = static_cast<planpb::Space>(i + 1);
    if (space != planpb::SPACE_DEVICE && layout.SpaceBytes(space) != 0) {
      return absl::UnimplementedError(absl::StrCat(
          "expected a plan for GPUs to have all of its memory there, got ",
          planpb::Space_Name(space)));
    }
  }
  RETURN_IF_ERROR(gpu.MakeCurrent());
  auto memory = absl::WrapUnique(new CudaMemory(gpu, layout));
  RETURN_IF_CUDA_ERROR(gpu.driver(), cuStreamCreate, &memory->stream_,
                       kStreamNonBlocking);
  ASSIGN_OR_RETURN(memory->passage_, PinnedMemory::Create(gpu, kPassageBytes));
  RETURN_IF_ERROR(memory->Allocate(layout.SpaceBytes(planpb::SPACE_DEVICE)));
  return memory;
}

absl::Status CudaMemory::Allocate(uint64_t bytes) {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemAlloc_v2, &base_, bytes);
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemsetD8Async, base_, 0, bytes,
                       stream_);
  return Wait();
}

CudaMemory::~CudaMemory() {
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  if (base_ != 0) {
    gpu_.driver()->cuMemFree_v2(base_);
  }
  if (stream_ != nullptr) {
    gpu_.driver()->cuStreamDestroy_v2(stream_);
  }
}

absl::Status CudaMemory::Wait() const {
  const absl::Status status = PollUntil(
      Deadline::After(kPatience),
      [] { return std::string("a copy between the host and the GPU"); },
      [&] { return gpu_.driver().IsDone(stream_); });
  if (!status.ok()) {
    gpu_.Abandon();
  }
  return status;
}

absl::Status CudaMemory::Write(const ByteRange& range,
                               absl::Span<const std::byte> src) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(gpu_.MakeCurrent());
  DevicePointer to = At(range);
  while (!src.empty()) {
    const size_t count = std::min<size_t>(src.size(), passage_.size());
    std::memcpy(passage_.data(), src.data(), count);
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyHtoDAsync_v2, to,
                         passage_.data(), count, stream_);
    RETURN_IF_ERROR(Wait());
    to += count;
    src.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status CudaMemory::Read(const ByteRange& range,
                              absl::Span<std::byte> dst) const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(gpu_.MakeCurrent());
  DevicePointer from = At(range);
  while (!dst.empty()) {
    const size_t count = std::min<size_t>(dst.size(), passage_.size());
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyDtoHAsync_v2, passage_.data(),
                         from, count, stream_);
    RETURN_IF_ERROR(Wait());
    std::memcpy(dst.data(), passage_.data(), count);
    from += count;
    dst.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status AllocateForCollectives(const Gpu& gpu, uint64_t bytes,
                                    DevicePointer* memory) {
  const absl::Status allocated = gpu.driver().Check(
      gpu.driver()->cuMemAlloc_v2(memory, bytes), "cuMemAlloc_v2");
  return absl::IsResourceExhausted(allocated)
             ? absl::ResourceExhaustedError(absl::StrCat(
                   "not enough memory on the GPU (", gpu.name(), ") for ",
                   FormatBytes(bytes),
                   " of collectives, besides the plan's; compile with a "
                   "smaller microbatch (accelc --dim batch=N), or start fewer "
                   "ranks"))
             : allocated;
}

}  // namespace accel::runtime::cuda
