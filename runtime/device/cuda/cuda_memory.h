// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's memory on a GPU: one allocation.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_

#include <cstddef>
#include <memory>
#include <mutex>

#include "runtime/device/cuda/pinned_memory.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

class CudaMemory : public DeviceMemory {
 public:
  // Unimplemented for a plan with memory of other kinds than the device's.
  // Borrows: the GPU and the layout.
  static absl::StatusOr<std::unique_ptr<CudaMemory>> Create(
      const Gpu& gpu, const MemoryLayout& layout);
  ~CudaMemory() override;

  absl::Status Write(const ByteRange& range,
                     absl::Span<const std::byte> src) override;
  absl::Status Read(const ByteRange& range,
                    absl::Span<std::byte> dst) const override;

  DevicePointer At(const ByteRange& range) const { return base_ + range.begin; }
  const MemoryLayout& layout() const { return layout_; }

 private:
  CudaMemory(const Gpu& gpu, const MemoryLayout& layout)
      : gpu_(gpu), layout_(layout) {}

  absl::Status Allocate(uint64_t bytes);
  // Until copies and fills of this class are done.
  absl::Status Wait() const;

  const Gpu& gpu_;
  const MemoryLayout& layout_;
  DevicePointer base_ = 0;
  StreamHandle stream_ = nullptr;
  // What is copied passes through it, piece by piece.
  mutable std::mutex mutex_;
  PinnedMemory passage_;
};

// So many bytes that no plan has; ResourceExhausted with the remedy.
// Requires: the GPU's context is current.
absl::Status AllocateForCollectives(const Gpu& gpu, uint64_t bytes,
                                    DevicePointer* memory);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_MEMORY_H_
