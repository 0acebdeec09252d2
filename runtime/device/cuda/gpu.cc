// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The primary context, which libraries share with us.
#include "runtime/device/cuda/gpu.h"

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<std::unique_ptr<Gpu>> Gpu::Open(
    std::shared_ptr<const Driver> driver, int ordinal,
    std::shared_ptr<std::atomic<bool>> is_abandoned) {
  auto gpu =
      absl::WrapUnique(new Gpu(std::move(driver), std::move(is_abandoned)));
  const Driver& own = *gpu->driver_;
  int count = 0;
  RETURN_IF_CUDA_ERROR(own, cuDeviceGetCount, &count);
  if (ordinal >= count) {
    return absl::UnimplementedError(absl::StrCat(
        "expected a GPU for each rank of this host, at least ", ordinal + 1,
        ", got ", count, "; start fewer ranks (accel-run -n ", count,
        "), or let them share a GPU as threads (accel-run "
        "--ranks-as-threads)"));
  }
  RETURN_IF_CUDA_ERROR(own, cuDeviceGet, &gpu->device_, ordinal);
  RETURN_IF_ERROR(gpu->Describe());
  RETURN_IF_CUDA_ERROR(own, cuDevicePrimaryCtxRetain, &gpu->context_,
                       gpu->device_);
  return gpu;
}

absl::Status Gpu::Describe() {
  char name[256] = {};
  RETURN_IF_CUDA_ERROR(*driver_, cuDeviceGetName, name, sizeof name - 1,
                       device_);
  name_ = name;
  RETURN_IF_CUDA_ERROR(*driver_, cuDeviceGetUuid_v2, &uuid_, device_);
  int major = 0;
  int minor = 0;
  RETURN_IF_CUDA_ERROR(*driver_, cuDeviceGetAttribute, &major,
                       kAttributeComputeCapabilityMajor, device_);
  RETURN_IF_CUDA_ERROR(*driver_, cuDeviceGetAttribute, &minor,
                       kAttributeComputeCapabilityMinor, device_);
  capability_ = 10 * major + minor;
  return absl::OkStatus();
}

Gpu::~Gpu() {
  if (context_ != nullptr && !*is_abandoned_) {
    (*driver_)->cuDevicePrimaryCtxRelease_v2(device_);
  }
}

absl::Status Gpu::MakeCurrent() const {
  if (*is_abandoned_) {
    return absl::FailedPreconditionError("the GPU was given up before");
  }
  return driver_->Check((*driver_)->cuCtxSetCurrent(context_),
                        "cuCtxSetCurrent");
}

absl::StatusOr<uint64_t> Gpu::ReadCacheBytes() const {
  int bytes = 0;
  RETURN_IF_CUDA_ERROR(*driver_, cuDeviceGetAttribute, &bytes,
                       kAttributeL2CacheBytes, device_);
  return static_cast<uint64_t>(bytes);
}

absl::StatusOr<Gpu::Memory> Gpu::ReadMemory() const {
  RETURN_IF_ERROR(MakeCurrent());
  size_t free = 0;
  size_t total = 0;
  RETURN_IF_CUDA_ERROR(*driver_, cuMemGetInfo_v2, &free, &total);
  return Memory{free, total};
}

}  // namespace accel::runtime::cuda
