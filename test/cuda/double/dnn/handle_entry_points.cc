// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points of the library itself: versions, errors, handles, streams.
#include <algorithm>
#include <cstring>

#include "test/cuda/double/blas/objects.h"
#include "test/cuda/double/dnn/entry_points.h"
#include "test/cuda/double/dnn/handles.h"
#include "test/cuda/double/dnn/refusals.h"
#include "test/cuda/double/driver/inspect.h"

namespace accel::cuda_double::dnn {
namespace {

struct StatusName {
  Status status;
  const char* name;
};

constexpr StatusName kStatusNames[] = {
    {kSuccess, "CUDNN_STATUS_SUCCESS"},
    {kNotInitialized, "CUDNN_STATUS_NOT_INITIALIZED"},
    {kSerializationVersionMismatch,
     "CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH"},
    {kBadParam, "CUDNN_STATUS_BAD_PARAM"},
    {kBadParamNullPointer, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
    {kBadParamMisalignedPointer, "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER"},
    {kBadParamNotFinalized, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
    {kBadParamOutOfBound, "CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND"},
    {kBadParamSizeInsufficient, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT"},
    {kBadParamStreamMismatch, "CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH"},
    {kBadParamShapeMismatch, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
    {kBadParamDuplicatedEntries, "CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES"},
    {kBadParamAttributeType, "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE"},
    {kBadParamDescriptorType, "CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE"},
    {kNotSupported, "CUDNN_STATUS_NOT_SUPPORTED"},
    {kNotSupportedGraphPattern, "CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN"},
    {kNotSupportedShape, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"},
    {kNotSupportedDataType, "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE"},
    {kNotSupportedLayout, "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT"},
    {kNotSupportedArchMismatch, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
    {kNotSupportedPadding, "CUDNN_STATUS_NOT_SUPPORTED_PADDING"},
    {kInternalError, "CUDNN_STATUS_INTERNAL_ERROR"},
    {kExecutionFailed, "CUDNN_STATUS_EXECUTION_FAILED"},
    {kExecutionFailedCudaDriver, "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER"},
};

// They live until the process ends: threads may still call then.
auto& Contexts() {
  static auto& objects = *new blas::Objects<Handle, LibraryContext>(16);
  return objects;
}

}  // namespace

std::optional<LibraryContext> FindHandle(Handle handle) {
  return Contexts().Find(handle);
}

extern "C" {

// With an injected failure its code is the version: so a caller that wants a
// newer library can be tested.
size_t cudnnGetVersion() {
  const Status status = Enter("cudnnGetVersion");
  return status == kSuccess ? kVersion : static_cast<size_t>(status);
}

size_t cudnnGetCudartVersion() { return 13000; }

const char* cudnnGetErrorString(Status status) {
  for (const StatusName& known : kStatusNames) {
    if (known.status == status) {
      return known.name;
    }
  }
  return "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
  if (message != nullptr && max_size > 0) {
    const size_t length = std::min(std::strlen(LastReason()), max_size - 1);
    std::memcpy(message, LastReason(), length);
    message[length] = '\0';
  }
}

Status cudnnCreate(Handle* handle) {
  if (Status status = Enter("cudnnCreate"); status != kSuccess) {
    return status;
  }
  if (handle == nullptr) {
    return Refuse(kBadParamNullPointer, "there is no place for the handle");
  }
  LibraryContext context;
  if (accel_double_current_gpu(&context.gpu) != cuda::kSuccess) {
    return Refuse(kNotInitialized, "there is no current context");
  }
  *handle = Contexts().Add(context);
  return kSuccess;
}

// As documented it waits for the device. The double does not, so that nobody
// relies on it.
Status cudnnDestroy(Handle handle) {
  if (Status status = Enter("cudnnDestroy"); status != kSuccess) {
    return status;
  }
  return Contexts().Remove(handle) ? kSuccess
                                   : Bad("there is no such handle to destroy");
}

Status cudnnSetStream(Handle handle, cuda::StreamHandle stream) {
  if (Status status = Enter("cudnnSetStream"); status != kSuccess) {
    return status;
  }
  auto context = Contexts().Find(handle);
  if (!context) {
    return Bad("there is no such handle");
  }
  StreamState state;
  if (stream != nullptr) {
    const int result = accel_double_stream_state(stream, &state);
    if (result != cuda::kSuccess &&
        result != cuda::kErrorStreamCaptureInvalidated) {
      return Bad("there is no such stream");
    }
    if (state.gpu != context->gpu) {
      return Refuse(kBadParamStreamMismatch,
                    "the stream is one of another device than the handle");
    }
  }
  context->stream = stream;
  return Contexts().Replace(handle, *context)
             ? kSuccess
             : Bad("another thread destroyed the handle");
}

Status cudnnGetStream(Handle handle, cuda::StreamHandle* stream) {
  if (Status status = Enter("cudnnGetStream"); status != kSuccess) {
    return status;
  }
  const auto context = Contexts().Find(handle);
  if (!context) {
    return Bad("there is no such handle");
  }
  if (stream == nullptr) {
    return Refuse(kBadParamNullPointer, "there is no place for the stream");
  }
  *stream = context->stream;
  return kSuccess;
}

}  // extern "C"

}  // namespace accel::cuda_double::dnn
