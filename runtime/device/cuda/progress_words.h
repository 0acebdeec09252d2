// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far each stream has got: the GPU writes it, the host reads it.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_

#include <cstdint>
#include <vector>

#include "runtime/device/cuda/pinned_memory.h"

namespace accel::runtime::cuda {

// For each index a count of instructions, which wraps around, and the place in
// the graph that is executed: what a graph writes is the same at every replay.
//
// Threads: one at a time.
class ProgressWords {
 public:
  // A place in a graph; 0 is in none.
  struct Place {
    uint16_t graph = 0;
    uint16_t position = 0;  // from 1 on
  };

  ProgressWords() = default;
  // Borrows: the GPU.
  static absl::StatusOr<ProgressWords> Create(const Gpu& gpu, size_t count);

  // Enqueues that so many instructions more of `index` are done.
  absl::Status Advance(size_t index, uint32_t instructions,
                       StreamHandle stream);
  // Enqueues that a graph's instruction of `index` is done.
  absl::Status Reach(size_t index, Place place, StreamHandle stream) const;

  uint32_t enqueued(size_t index) const { return enqueued_[index]; }
  // Never more than are enqueued.
  uint32_t done(size_t index) const { return Read(index, kCount); }
  // The last one that was reached.
  Place place(size_t index) const;

 private:
  // A cache line each.
  static constexpr uint64_t kStride = 64;
  enum Word : uint64_t { kCount = 0, kPlace = 4 };  // offsets

  absl::Status Write(size_t index, Word word, uint32_t value,
                     StreamHandle stream) const;
  uint32_t Read(size_t index, Word word) const;

  const Gpu* gpu_ = nullptr;
  PinnedMemory memory_;
  DevicePointer address_ = 0;
  std::vector<uint32_t> enqueued_;  // per index
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PROGRESS_WORDS_H_
