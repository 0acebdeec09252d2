// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL, opened.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/device/cuda/abi/nccl.h"
#include "runtime/device/cuda/shared_library.h"

namespace accel::runtime::cuda {

// Threads: everything may be called from any thread.
class Nccl {
 public:
  // Unimplemented, with a remedy, where it is missing or too old.
  static absl::StatusOr<std::shared_ptr<const Nccl>> Open(
      Vfs& vfs, const LibrarySearch& search);

  const NcclFunctions* operator->() const { return &functions_; }
  // "2.28.3"
  std::string Version() const;

  // The error of a call: "ncclAllReduce of NCCL 2.28.3: ...", Unavailable if it
  // is another rank's or the network's, otherwise Internal. A call that is in
  // progress has none. `comm` may be null.
  absl::Status Check(NcclResult result, NcclComm comm,
                     absl::string_view call) const;

 private:
  Nccl() = default;

  absl::Status FindVersion(const SharedLibrary& library);
  absl::Status FindFunctions(const SharedLibrary& library);

  NcclFunctions functions_;
  int version_ = 0;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_NCCL_H_
