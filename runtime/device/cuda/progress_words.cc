// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of pinned memory.
#include "runtime/device/cuda/progress_words.h"

#include <atomic>
#include <cstring>

#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<ProgressWords> ProgressWords::Create(const Gpu& gpu,
                                                    size_t streams) {
  ProgressWords words;
  words.gpu_ = &gpu;
  ASSIGN_OR_RETURN(words.memory_, PinnedMemory::Create(gpu, streams * kStride));
  std::memset(words.memory_.data(), 0, words.memory_.size());
  ASSIGN_OR_RETURN(words.address_, words.memory_.DeviceAddress());
  words.enqueued_.resize(streams);
  return words;
}

absl::Status ProgressWords::Advance(size_t index, StreamHandle stream) {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuStreamWriteValue32_v2, stream,
                       address_ + index * kStride, enqueued_[index] + 1, 0);
  ++enqueued_[index];
  return absl::OkStatus();
}

uint32_t ProgressWords::done(size_t index) const {
  auto* const word =
      reinterpret_cast<uint32_t*>(memory_.data() + index * kStride);
  return std::atomic_ref(*word).load(std::memory_order_acquire);
}

}  // namespace accel::runtime::cuda
