// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far each stream has got: the GPU writes it, the host reads it.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_

#include <cstdint>
#include <vector>

#include "runtime/device/cuda/pinned_memory.h"

namespace accel::runtime::cuda {

// Counts of instructions, which wrap around.
//
// Threads: one at a time.
class ProgressWords {
 public:
  ProgressWords() = default;
  // Borrows: the GPU.
  static absl::StatusOr<ProgressWords> Create(const Gpu& gpu, size_t streams);

  // Enqueues that one instruction more of stream `index` is done.
  absl::Status Advance(size_t index, StreamHandle stream);
  uint32_t enqueued(size_t index) const { return enqueued_[index]; }
  // Never more than are enqueued.
  uint32_t done(size_t index) const;

 private:
  // A cache line each.
  static constexpr uint64_t kStride = 64;

  const Gpu* gpu_ = nullptr;
  PinnedMemory memory_;
  DevicePointer address_ = 0;
  std::vector<uint32_t> enqueued_;  // per stream
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_
