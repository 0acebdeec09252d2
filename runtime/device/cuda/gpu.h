// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One GPU of the machine, and this process's context on it.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_GPU_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_GPU_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/cuda/driver.h"

namespace accel::runtime::cuda {

// Threads: everything may be called from any thread.
class Gpu {
 public:
  // Takes GPU `ordinal` of those that the driver shows. Unimplemented if
  // there are fewer. `is_abandoned`: shared by all who use the GPU in this
  // process, as they share its context.
  static absl::StatusOr<std::unique_ptr<Gpu>> Open(
      std::shared_ptr<const Driver> driver, int ordinal,
      std::shared_ptr<std::atomic<bool>> is_abandoned);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return *driver_; }
  // "NVIDIA H100 80GB HBM3"
  const std::string& name() const { return name_; }
  const Uuid& uuid() const { return uuid_; }
  // 90 for 9.0
  int capability() const { return capability_; }

  // Every thread that calls the driver does this before. FailedPrecondition if
  // the GPU has been abandoned.
  absl::Status MakeCurrent() const;
  // The GPU does not answer, or has an error that nothing clears: from now on
  // nobody gives anything back to it, which could take forever.
  void Abandon() const { *is_abandoned_ = true; }

  struct Memory {
    uint64_t free = 0;
    uint64_t total = 0;
  };
  absl::StatusOr<Memory> ReadMemory() const;
  // Bytes of the last cache in front of the memory.
  absl::StatusOr<uint64_t> ReadCacheBytes() const;

 private:
  Gpu(std::shared_ptr<const Driver> driver,
      std::shared_ptr<std::atomic<bool>> is_abandoned)
      : driver_(std::move(driver)), is_abandoned_(std::move(is_abandoned)) {}

  absl::Status Describe();

  const std::shared_ptr<const Driver> driver_;
  const std::shared_ptr<std::atomic<bool>> is_abandoned_;
  DeviceOrdinal device_ = 0;
  Context context_ = nullptr;
  std::string name_;
  Uuid uuid_ = {};
  int capability_ = 0;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_GPU_H_
