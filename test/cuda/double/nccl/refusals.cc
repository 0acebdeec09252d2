// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/refusals.h"

#include <cstdio>
#include <mutex>

#include "test/cuda/double/driver/enqueue.h"
#include "test/cuda/double/driver/inspect.h"
#include "test/cuda/double/nccl/configuration.h"

namespace accel::cuda_double::nccl {
namespace {

constexpr size_t kMaxText = 1024;
std::mutex lock;
// Plain arrays: destructors would keep the library from being unloaded.
char last_error[kMaxText] = "";
thread_local char last_error_of_thread[kMaxText] = "";

}  // namespace

cuda::NcclResult Enter(const char* entry) {
  TheConfiguration();  // A wrong one ends the process at the first call.
  const int result = accel_double_fails(entry);
  if (result == 0) {
    return cuda::kNcclSuccess;
  }
  // The driver's own codes say that it cannot be called here.
  return Fail(result > cuda::kNcclInProgress + 1 ? cuda::kNcclUnhandledCudaError
                                                 : result,
              std::string(entry) + ": the environment asks for this failure");
}

cuda::NcclResult Fail(cuda::NcclResult result, const std::string& text) {
  const std::lock_guard<std::mutex> guard(lock);
  std::snprintf(last_error, kMaxText, "%s", text.c_str());
  return result;
}

cuda::NcclResult Misuse(cuda::NcclResult result, const std::string& text) {
  accel_double_report(("NCCL: " + text).c_str());
  return Fail(result, text);
}

const char* LastError() {
  const std::lock_guard<std::mutex> guard(lock);
  std::snprintf(last_error_of_thread, kMaxText, "%s", last_error);
  return last_error_of_thread;
}

}  // namespace accel::cuda_double::nccl
