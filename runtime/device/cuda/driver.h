// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver, opened and ready.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_DRIVER_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_DRIVER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/device/cuda/abi/driver.h"
#include "runtime/device/cuda/shared_library.h"

namespace accel::runtime::cuda {

// Bytes at whose multiples memory begins that the driver allocates.
inline constexpr uint32_t kAllocationAlignment = 256;

// Threads: everything may be called from any thread.
class Driver {
 public:
  // Opens libcuda and initializes it. Unimplemented, with a remedy, where there
  // is no driver or no GPU.
  static absl::StatusOr<std::shared_ptr<const Driver>> Open(
      Vfs& vfs, const LibrarySearch& search);

  const DriverFunctions* operator->() const { return &functions_; }

  // "13.0"
  std::string Version() const;
  // 13000
  int version() const { return version_; }

  // The error of a call: "cuMemAlloc_v2: out of memory (CUDA_ERROR_...)".
  // ResourceExhausted for memory, otherwise Internal.
  absl::Status Check(Result result, absl::string_view call) const;
  // Whether all work that was enqueued is done; of an event, its last record.
  absl::StatusOr<bool> IsDone(StreamHandle stream) const {
    return IsDone(functions_.cuStreamQuery(stream), "cuStreamQuery");
  }
  absl::StatusOr<bool> IsDone(EventHandle event) const {
    return IsDone(functions_.cuEventQuery(event), "cuEventQuery");
  }

 private:
  Driver() = default;

  absl::Status FindFunctions(const SharedLibrary& library);
  absl::Status Initialize();
  // Of a call that asks.
  absl::StatusOr<bool> IsDone(Result result, absl::string_view call) const;

  DriverFunctions functions_;
  int version_ = 0;
};

// Calls `function` of a driver, and returns an error as the function's own.
#define RETURN_IF_CUDA_ERROR(driver, function, ...) \
  RETURN_IF_ERROR((driver).Check((driver)->function(__VA_ARGS__), #function))

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_DRIVER_H_
