// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/refusals.h"

#include <cstdio>
#include <cstdlib>

#include "test/cuda/double/driver/enqueue.h"

namespace accel::cuda_double::blas {
namespace {

thread_local const char* entry_of_thread = "";

}  // namespace

cuda::BlasStatus Enter(const char* entry) {
  entry_of_thread = entry;
  const cuda::BlasStatus status = accel_double_fails(entry);
  return status == cuda::kBlasSuccess
             ? status
             : Refuse(status, "the environment asks for it");
}

cuda::BlasStatus Refuse(cuda::BlasStatus status, const char* reason) {
  const char* level = std::getenv("CUBLASLT_LOG_LEVEL");
  if (level != nullptr && std::atoi(level) > 0) {
    std::fprintf(stderr, "double of cuBLASLt: %s gives %d: %s\n",
                 entry_of_thread, status, reason);
  }
  return status;
}

cuda::BlasStatus Invalid(const char* reason) {
  return Refuse(cuda::kBlasInvalidValue, reason);
}

cuda::BlasStatus Unsupported(const char* reason) {
  return Refuse(cuda::kBlasNotSupported, reason);
}

}  // namespace accel::cuda_double::blas
