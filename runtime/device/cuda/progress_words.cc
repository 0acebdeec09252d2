// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver writes words behind what is enqueued before.
#include "runtime/device/cuda/progress_words.h"

#include <atomic>
#include <cstring>

#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<ProgressWords> ProgressWords::Create(const Gpu& gpu,
                                                    size_t count) {
  ProgressWords words;
  words.gpu_ = &gpu;
  ASSIGN_OR_RETURN(words.memory_, PinnedMemory::Create(gpu, count * kStride));
  std::memset(words.memory_.data(), 0, words.memory_.size());
  ASSIGN_OR_RETURN(words.address_, words.memory_.DeviceAddress());
  words.enqueued_.resize(count);
  return words;
}

absl::Status ProgressWords::Advance(size_t index, uint32_t instructions,
                                    StreamHandle stream) {
  const uint32_t count = enqueued_[index] + instructions;
  RETURN_IF_ERROR(Write(index, kCount, count, stream));
  enqueued_[index] = count;
  return absl::OkStatus();
}

absl::Status ProgressWords::Reach(size_t index, Place place,
                                  StreamHandle stream) const {
  return Write(index, kPlace, uint32_t{place.graph} << 16 | place.position,
               stream);
}

ProgressWords::Place ProgressWords::place(size_t index) const {
  const uint32_t word = Read(index, kPlace);
  return {static_cast<uint16_t>(word >> 16), static_cast<uint16_t>(word)};
}

absl::Status ProgressWords::Write(size_t index, Word word, uint32_t value,
                                  StreamHandle stream) const {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuStreamWriteValue32_v2, stream,
                       address_ + index * kStride + word, value, 0);
  return absl::OkStatus();
}

uint32_t ProgressWords::Read(size_t index, Word word) const {
  auto* const place =
      reinterpret_cast<uint32_t*>(memory_.data() + index * kStride + word);
  return std::atomic_ref(*place).load(std::memory_order_acquire);
}

}  // namespace accel::runtime::cuda
