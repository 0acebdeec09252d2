// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host that a GPU copies from and to by itself, and parts of it
// that take turns in copies to the GPU.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PINNED_MEMORY_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PINNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/device/cuda/gpu.h"
#include "runtime/device/cuda/host_wait.h"

namespace accel::runtime::cuda {

// Borrows: the GPU.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // Not initialised. Requires: the context is current.
  static absl::StatusOr<PinnedMemory> Create(const Gpu& gpu, uint64_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept { *this = std::move(other); }
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  // What kernels and the driver's operations know the memory as.
  absl::StatusOr<DevicePointer> DeviceAddress() const;

 private:
  const Gpu* gpu_ = nullptr;
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

// Copies from memory of the host that is free again when the call returns. Each
// copy has a slot of pinned memory, which the next one may not take before the
// GPU has read it.
//
// Threads: one at a time.
class UploadSlots {
 public:
  UploadSlots() = default;
  // Borrows: the GPU.
  static absl::StatusOr<UploadSlots> Create(const Gpu& gpu,
                                            uint64_t slot_bytes);
  ~UploadSlots();
  UploadSlots(UploadSlots&& other) noexcept { *this = std::move(other); }
  UploadSlots& operator=(UploadSlots&& other) noexcept;

  // Enqueues a copy of what `produce` writes. Of more bytes than a slot has,
  // all are produced in memory that is allocated for the purpose.
  absl::Status Upload(
      DevicePointer destination, uint64_t bytes, StreamHandle stream,
      absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce,
      HostWait& wait);

 private:
  struct Slot {
    EventHandle read = nullptr;
    bool is_recorded = false;
  };

  // A slot that the GPU has read.
  absl::StatusOr<size_t> Take(HostWait& wait);
  absl::Status Send(size_t slot, DevicePointer destination, uint64_t bytes,
                    StreamHandle stream);
  std::byte* At(size_t slot) const { return memory_.data() + slot * bytes_; }

  const Gpu* gpu_ = nullptr;
  uint64_t bytes_ = 0;  // of a slot
  PinnedMemory memory_;
  std::vector<Slot> slots_;
  size_t next_ = 0;
};

// Copies to memory of the host that need not be pinned: small ones, of which
// there are some in a step.
//
// Threads: one at a time.
class Downloads {
 public:
  Downloads() = default;
  // Borrows: the GPU.
  static absl::StatusOr<Downloads> Create(const Gpu& gpu);

  // Whether so many bytes more can be on their way.
  bool HasRoomFor(uint64_t bytes) const {
    return bytes <= memory_.size() - used_ && copies_.size() < kMostCopies;
  }
  // Enqueues a copy. Requires: there is room for it; `host` stays until Deliver
  // has been called.
  absl::Status Add(DevicePointer source, absl::Span<std::byte> host,
                   StreamHandle stream);
  // Keeps the memory of all copies, which a graph makes again and again.
  void Keep() { kept_ = used_; }
  // A graph makes the copy that had its memory at `offset`.
  // Requires: as Add, but that there is room for bytes.
  void Repeat(uint64_t offset, absl::Span<std::byte> host) {
    copies_.push_back({offset, host});
  }
  // Bytes of all copies, those that are kept included: where the next one's
  // memory lies.
  uint64_t used() const { return used_; }
  // Requires: the streams of all copies have been waited for.
  void Deliver();

 private:
  static constexpr size_t kMostCopies = 1024;
  struct Copy {
    uint64_t offset;
    absl::Span<std::byte> host;
  };

  const Gpu* gpu_ = nullptr;
  PinnedMemory memory_;
  uint64_t used_ = 0;
  uint64_t kept_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PINNED_MEMORY_H_
