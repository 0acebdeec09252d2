// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's memory on a CPU: one anonymous mapping per space, and what all ranks
// of the host share.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_MEMORY_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device/device.h"

namespace accel::runtime {

// An anonymous private mapping, zeroed, unmapped at the end.
class Mapping {
 public:
  // `alignment` is a power of two. Large mappings ask for huge pages, if
  // `touched`, the bytes that will ever be, are nearly all.
  static absl::StatusOr<Mapping> Create(uint64_t bytes, uint64_t alignment,
                                        uint64_t touched);
  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  // Read and execute instead of read and write; never both.
  absl::Status MakeExecutable();

 private:
  std::byte* base_ = nullptr;  // of what was mapped
  uint64_t mapped_ = 0;
  std::byte* data_ = nullptr;  // aligned
  uint64_t size_ = 0;
};

class CpuMemory : public DeviceMemory {
 public:
  static absl::StatusOr<std::unique_ptr<CpuMemory>> Create(
      const PlanView& plan, const MemoryLayout& layout,
      const SharedAllocator& shared = nullptr);

  absl::Status Write(const ByteRange& range,
                     absl::Span<const std::byte> src) override;
  absl::Status Read(const ByteRange& range,
                    absl::Span<std::byte> dst) const override;

  std::byte* At(const ByteRange& range) const {
    return bases_[range.space - 1] + range.begin;
  }

 private:
  std::array<Mapping, kSpaces> own_;
  std::array<std::byte*, kSpaces> bases_ = {};
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_MEMORY_H_
