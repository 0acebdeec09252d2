// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of the CUDA driver against NVIDIA's.
#include <cuda.h>
#include <gtest/gtest.h>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/abi/same_abi.h"

namespace accel::testing {
namespace {

namespace ours = runtime::cuda;

#define ACCEL_CHECK(name, ...)                                                 \
  static_assert(SameAbi<decltype(ours::DriverFunctions::name),                 \
                        decltype(&::name)>::value,                             \
                #name);
ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_CHECK)
#undef ACCEL_CHECK

static_assert(sizeof(ours::Uuid) == sizeof(CUuuid));

TEST(DriverAbiTest, NumbersAreNvidias) {
  EXPECT_EQ(ours::kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ours::kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(ours::kErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(ours::kErrorDeinitialized, CUDA_ERROR_DEINITIALIZED);
  EXPECT_EQ(ours::kErrorNoDevice, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(ours::kErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(ours::kErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(ours::kErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(ours::kErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(ours::kErrorInvalidPtx, CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(ours::kErrorUnsupportedPtxVersion,
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(ours::kErrorInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(ours::kErrorNotFound, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(ours::kErrorNotReady, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(ours::kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(ours::kErrorLaunchOutOfResources,
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(ours::kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_EQ(ours::kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(ours::kErrorSystemDriverMismatch,
            CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  EXPECT_EQ(ours::kErrorStreamCaptureUnsupported,
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(ours::kErrorStreamCaptureInvalidated,
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(ours::kErrorStreamCaptureUnjoined,
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(ours::kErrorStreamCaptureIsolation,
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(ours::kErrorUnknown, CUDA_ERROR_UNKNOWN);
}

TEST(DriverAbiTest, OptionsAreNvidias) {
  EXPECT_EQ(ours::kAttributeMultiprocessorCount,
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(ours::kAttributePciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  EXPECT_EQ(ours::kAttributePciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  EXPECT_EQ(ours::kAttributeL2CacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(ours::kAttributeComputeCapabilityMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(ours::kAttributeComputeCapabilityMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(ours::kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(ours::kJitErrorLogBufferSizeBytes,
            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(ours::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(ours::kEventDefault, CU_EVENT_DEFAULT);
  EXPECT_EQ(ours::kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  EXPECT_EQ(ours::kHostAllocDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP);
  EXPECT_EQ(ours::kCaptureModeGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(ours::kCaptureModeThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(ours::kCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
}

} // namespace
} // namespace accel::testing
