// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points that make, change and destroy objects.
#include "test/cuda/double/blas/entry_points.h"
#include "test/cuda/double/blas/objects.h"
#include "test/cuda/double/blas/refusals.h"
#include "test/cuda/double/driver/inspect.h"

namespace accel::runtime::cuda {
namespace {

namespace blas = ::accel::cuda_double::blas;

template <typename Handle, typename T>
BlasStatus Make(blas::Objects<Handle, T>& objects, T object, Handle* handle) {
  if (handle == nullptr) {
    return blas::Invalid("there is no place for the handle");
  }
  *handle = objects.Add(std::move(object));
  return kBlasSuccess;
}

template <typename Handle, typename T>
BlasStatus Destroy(const char* entry, blas::Objects<Handle, T>& objects,
                   Handle handle) {
  if (BlasStatus status = blas::Enter(entry); status != kBlasSuccess) {
    return status;
  }
  return objects.Remove(handle)
             ? kBlasSuccess
             : blas::Invalid("there is no such object to destroy");
}

template <typename Handle, typename T>
BlasStatus Change(const char* entry, blas::Objects<Handle, T>& objects,
                  Handle handle, int attribute, const void* value,
                  size_t bytes) {
  if (BlasStatus status = blas::Enter(entry); status != kBlasSuccess) {
    return status;
  }
  auto object = objects.Find(handle);
  if (!object) {
    return blas::Invalid("there is no such object to change");
  }
  const BlasStatus status =
      blas::SetAttribute(*object, attribute, value, bytes);
  if (status == kBlasSuccess && !objects.Replace(handle, *object)) {
    return blas::Invalid("another thread destroyed the object");
  }
  return status;
}

}  // namespace

extern "C" {

// With an injected failure its code is the version: so a caller that wants a
// newer library can be tested.
size_t cublasLtGetVersion() {
  const BlasStatus status = blas::Enter("cublasLtGetVersion");
  return status == kBlasSuccess ? 130100 : static_cast<size_t>(status);
}

const char* cublasLtGetStatusString(BlasStatus status) {
  switch (status) {
    case kBlasSuccess:
      return "success";
    case kBlasNotInitialized:
      return "not initialized";
    case kBlasAllocFailed:
      return "allocation failed";
    case kBlasInvalidValue:
      return "invalid value";
    case kBlasArchMismatch:
      return "architecture mismatch";
    case kBlasExecutionFailed:
      return "execution failed";
    case kBlasInternalError:
      return "internal error";
    case kBlasNotSupported:
      return "not supported";
    default:
      return "unknown status";
  }
}

BlasStatus cublasLtCreate(BlasHandle* handle) {
  if (BlasStatus status = blas::Enter("cublasLtCreate");
      status != kBlasSuccess) {
    return status;
  }
  int gpu = 0;
  if (accel_double_current_gpu(&gpu) != kSuccess) {
    return blas::Refuse(kBlasNotInitialized, "there is no current context");
  }
  // As documented, the handle is not tied to that context.
  return Make(blas::Libraries(), blas::Library(), handle);
}

// As documented, a handle that is none is "not initialized" here.
BlasStatus cublasLtDestroy(BlasHandle handle) {
  const BlasStatus status =
      Destroy("cublasLtDestroy", blas::Libraries(), handle);
  return status == kBlasInvalidValue ? kBlasNotInitialized : status;
}

BlasStatus cublasLtMatmulDescCreate(MatmulDesc* desc, int compute_type,
                                    int scale_type) {
  if (BlasStatus status = blas::Enter("cublasLtMatmulDescCreate");
      status != kBlasSuccess) {
    return status;
  }
  return Make(blas::Descs(), blas::Desc{compute_type, scale_type}, desc);
}

BlasStatus cublasLtMatmulDescDestroy(MatmulDesc desc) {
  return Destroy("cublasLtMatmulDescDestroy", blas::Descs(), desc);
}

BlasStatus cublasLtMatmulDescSetAttribute(MatmulDesc desc, int attribute,
                                          const void* value, size_t bytes) {
  return Change("cublasLtMatmulDescSetAttribute", blas::Descs(), desc,
                attribute, value, bytes);
}

BlasStatus cublasLtMatrixLayoutCreate(MatrixLayout* layout, int type,
                                      uint64_t rows, uint64_t columns,
                                      int64_t leading_dimension) {
  if (BlasStatus status = blas::Enter("cublasLtMatrixLayoutCreate");
      status != kBlasSuccess) {
    return status;
  }
  return Make(blas::Layouts(),
              blas::Layout{type, rows, columns, leading_dimension}, layout);
}

BlasStatus cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  return Destroy("cublasLtMatrixLayoutDestroy", blas::Layouts(), layout);
}

BlasStatus cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, int attribute,
                                            const void* value, size_t bytes) {
  return Change("cublasLtMatrixLayoutSetAttribute", blas::Layouts(), layout,
                attribute, value, bytes);
}

BlasStatus cublasLtMatmulPreferenceCreate(MatmulPreference* preference) {
  if (BlasStatus status = blas::Enter("cublasLtMatmulPreferenceCreate");
      status != kBlasSuccess) {
    return status;
  }
  return Make(blas::Preferences(), blas::Preference(), preference);
}

BlasStatus cublasLtMatmulPreferenceDestroy(MatmulPreference preference) {
  return Destroy("cublasLtMatmulPreferenceDestroy", blas::Preferences(),
                 preference);
}

BlasStatus cublasLtMatmulPreferenceSetAttribute(MatmulPreference preference,
                                                int attribute,
                                                const void* value,
                                                size_t bytes) {
  return Change("cublasLtMatmulPreferenceSetAttribute", blas::Preferences(),
                preference, attribute, value, bytes);
}

}  // extern "C"

}  // namespace accel::runtime::cuda
