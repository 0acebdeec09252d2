// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the driver's errors, and what NVIDIA says of them.
#include <algorithm>
#include <iterator>

#include "test/cuda/double/driver/capture.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

struct Error {
  Result code;
  const char* name;
  const char* text;
};

constexpr Error kErrors[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kErrorNotInitialized, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {kErrorDeinitialized, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {kErrorNoDevice, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {kErrorInvalidDevice, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {kErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {kErrorInvalidContext, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {kErrorNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {kErrorInvalidPtx, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {kErrorUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {kErrorInvalidHandle, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {kErrorIllegalState, "CUDA_ERROR_ILLEGAL_STATE",
     "the operation cannot be performed in the present state"},
    {kErrorNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kErrorNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {kErrorIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {kErrorLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {kErrorMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS",
     "misaligned address"},
    {kErrorLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED",
     "unspecified launch failure"},
    {kErrorNotPermitted, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {kErrorSystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {kErrorStreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {kErrorStreamCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {kErrorStreamCaptureMerge, "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {kErrorStreamCaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {kErrorStreamCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {kErrorStreamCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {kErrorCapturedEvent, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {kErrorStreamCaptureWrongThread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another "
     "thread"},
    {kErrorUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

Result Find(Result error, const char* Error::* what, const char** text) {
  if (text == nullptr) {
    return kErrorInvalidValue;
  }
  const auto* found =
      std::find_if(std::begin(kErrors), std::end(kErrors),
                   [error](const Error& entry) { return entry.code == error; });
  *text = found == std::end(kErrors) ? nullptr : found->*what;
  return *text == nullptr ? kErrorInvalidValue : kSuccess;
}

}  // namespace

Result cuGetErrorName(Result error, const char** name) {
  return Find(error, &Error::name, name);
}

Result cuGetErrorString(Result error, const char** text) {
  return Find(error, &Error::text, text);
}
