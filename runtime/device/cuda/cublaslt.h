// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLASLt, opened, with a handle.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUBLASLT_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUBLASLT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/device/cuda/abi/cublaslt.h"
#include "runtime/device/cuda/gpu.h"
#include "runtime/device/cuda/shared_library.h"

namespace accel::runtime::cuda {

// Threads: one at a time.
class CublasLt {
 public:
  // Of the driver's major version, or of one before. Borrows: the GPU.
  // Requires: its context is current, and is whenever this is used.
  static absl::StatusOr<std::unique_ptr<CublasLt>> Open(
      Vfs& vfs, const LibrarySearch& search, const Gpu& gpu);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  const BlasFunctions* operator->() const { return &functions_; }
  BlasHandle handle() const { return handle_; }
  const Gpu& gpu() const { return gpu_; }
  // "13.1.0"
  std::string Version() const;

  absl::Status Check(BlasStatus status, absl::string_view call) const;

 private:
  explicit CublasLt(const Gpu& gpu) : gpu_(gpu) {}

  absl::Status FindFunctions(const SharedLibrary& library);

  const Gpu& gpu_;
  BlasFunctions functions_;
  BlasHandle handle_ = nullptr;
};

// As RETURN_IF_CUDA_ERROR.
#define RETURN_IF_BLAS_ERROR(library, function, ...) \
  RETURN_IF_ERROR((library).Check((library)->function(__VA_ARGS__), #function))

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUBLASLT_H_
