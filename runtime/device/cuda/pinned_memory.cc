// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots go round.
#include "runtime/device/cuda/pinned_memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

// So many copies may be under way: two, so that one is written while the GPU
// reads the other, and more where they are small.
constexpr uint64_t kFewestSlots = 2;
constexpr uint64_t kMostSlots = 8;
constexpr uint64_t kEnoughBytes = uint64_t{64} << 20;

}  // namespace

absl::StatusOr<PinnedMemory> PinnedMemory::Create(const Gpu& gpu,
                                                  uint64_t bytes) {
  PinnedMemory memory;
  memory.gpu_ = &gpu;
  void* data = nullptr;
  const Driver& driver = gpu.driver();
  RETURN_IF_ERROR(Annotate(
      driver.Check(driver->cuMemHostAlloc(&data, bytes, kHostAllocDeviceMap),
                   "cuMemHostAlloc"),
      absl::StrCat("cannot pin ", FormatBytes(bytes), " of host memory")));
  memory.data_ = static_cast<std::byte*>(data);
  memory.size_ = bytes;
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr && gpu_->MakeCurrent().ok()) {
    gpu_->driver()->cuMemFreeHost(data_);
  }
}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

absl::StatusOr<DevicePointer> PinnedMemory::DeviceAddress() const {
  DevicePointer address = 0;
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuMemHostGetDevicePointer_v2, &address,
                       data_, 0);
  return address;
}

absl::StatusOr<UploadSlots> UploadSlots::Create(const Gpu& gpu,
                                                uint64_t slot_bytes) {
  UploadSlots slots;
  slots.gpu_ = &gpu;
  slots.bytes_ = slot_bytes;
  const uint64_t count =
      std::clamp(kEnoughBytes / slot_bytes, kFewestSlots, kMostSlots);
  ASSIGN_OR_RETURN(slots.memory_,
                   PinnedMemory::Create(gpu, count * slot_bytes));
  slots.slots_.resize(count);
  for (Slot& slot : slots.slots_) {
    RETURN_IF_CUDA_ERROR(gpu.driver(), cuEventCreate, &slot.read,
                         kEventDisableTiming);
  }
  return slots;
}

UploadSlots::~UploadSlots() {
  for (const Slot& slot : slots_) {
    if (slot.read != nullptr && gpu_->MakeCurrent().ok()) {
      gpu_->driver()->cuEventDestroy_v2(slot.read);
    }
  }
}

UploadSlots& UploadSlots::operator=(UploadSlots&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(bytes_, other.bytes_);
  std::swap(memory_, other.memory_);
  std::swap(slots_, other.slots_);
  std::swap(next_, other.next_);
  return *this;
}

absl::StatusOr<size_t> UploadSlots::Take(HostWait& wait) {
  const size_t taken = next_;
  next_ = (next_ + 1) % slots_.size();
  Slot& slot = slots_[taken];
  if (!slot.is_recorded) {
    return taken;
  }
  const Driver& driver = gpu_->driver();
  RETURN_IF_ERROR(wait.WaitUntil(
      [] { return std::string("the GPU to read what is copied to it"); },
      [&] { return driver.IsDone(slot.read); }));
  slot.is_recorded = false;
  return taken;
}

absl::Status UploadSlots::Send(size_t slot, DevicePointer destination,
                               uint64_t bytes, StreamHandle stream) {
  const Driver& driver = gpu_->driver();
  RETURN_IF_CUDA_ERROR(driver, cuMemcpyHtoDAsync_v2, destination, At(slot),
                       bytes, stream);
  RETURN_IF_CUDA_ERROR(driver, cuEventRecord, slots_[slot].read, stream);
  slots_[slot].is_recorded = true;
  return absl::OkStatus();
}

absl::Status UploadSlots::Upload(
    DevicePointer destination, uint64_t bytes, StreamHandle stream,
    absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce,
    HostWait& wait) {
  if (bytes == 0) {
    return produce({});
  }
  if (bytes <= bytes_) {
    ASSIGN_OR_RETURN(const size_t slot, Take(wait));
    RETURN_IF_ERROR(produce(absl::MakeSpan(At(slot), bytes)));
    return Send(slot, destination, bytes, stream);
  }
  std::vector<std::byte> all(bytes);
  RETURN_IF_ERROR(produce(absl::MakeSpan(all)));
  for (uint64_t done = 0; done < bytes; done += bytes_) {
    ASSIGN_OR_RETURN(const size_t slot, Take(wait));
    const uint64_t count = std::min(bytes_, bytes - done);
    std::memcpy(At(slot), &all[done], count);
    RETURN_IF_ERROR(Send(slot, destination + done, count, stream));
  }
  return absl::OkStatus();
}

absl::StatusOr<Downloads> Downloads::Create(const Gpu& gpu) {
  constexpr uint64_t kBytes = uint64_t{64} << 10;
  Downloads downloads;
  downloads.gpu_ = &gpu;
  ASSIGN_OR_RETURN(downloads.memory_, PinnedMemory::Create(gpu, kBytes));
  downloads.copies_.reserve(kMostCopies);
  return downloads;
}

absl::Status Downloads::Add(DevicePointer source, absl::Span<std::byte> host,
                            StreamHandle stream) {
  RETURN_IF_CUDA_ERROR(gpu_->driver(), cuMemcpyDtoHAsync_v2,
                       memory_.data() + used_, source, host.size(), stream);
  copies_.push_back({used_, host});
  used_ += host.size();
  return absl::OkStatus();
}

void Downloads::Deliver() {
  for (const Copy& copy : copies_) {
    std::memcpy(copy.host.data(), memory_.data() + copy.offset,
                copy.host.size());
  }
  copies_.clear();
  used_ = kept_;
}

}  // namespace accel::runtime::cuda
