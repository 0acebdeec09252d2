// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this project uses of the CUDA driver's interface, libcuda.so.1: names,
// types and numbers as NVIDIA documents them (CUDA Driver API 13.0), so that a
// build needs nothing of NVIDIA's. test/cuda/abi holds them against cuda.h
// wherever that is installed.
//
// Functions have the names of the symbols, versions included.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_ABI_DRIVER_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_ABI_DRIVER_H_

#include <cstddef>
#include <cstdint>

namespace accel::runtime::cuda {

using Result = int;                        // CUresult
using DeviceOrdinal = int;                 // CUdevice
using DevicePointer = unsigned long long;  // CUdeviceptr
using Context = struct ContextOpaque*;
using Module = struct ModuleOpaque*;
using Function = struct FunctionOpaque*;
using StreamHandle = struct StreamOpaque*;
using EventHandle = struct EventOpaque*;
using Graph = struct GraphOpaque*;
using GraphExec = struct GraphExecOpaque*;
using HostFunction = void (*)(void* data);

struct Uuid {
  char bytes[16];
};

enum : Result {
  kSuccess = 0,
  kErrorInvalidValue = 1,
  kErrorOutOfMemory = 2,
  kErrorNotInitialized = 3,
  kErrorDeinitialized = 4,
  kErrorNoDevice = 100,
  kErrorInvalidDevice = 101,
  kErrorInvalidImage = 200,
  kErrorInvalidContext = 201,
  kErrorNoBinaryForGpu = 209,
  kErrorInvalidPtx = 218,
  kErrorUnsupportedPtxVersion = 222,
  kErrorInvalidHandle = 400,
  kErrorNotFound = 500,
  kErrorNotReady = 600,
  kErrorIllegalAddress = 700,
  kErrorLaunchOutOfResources = 701,
  kErrorMisalignedAddress = 716,
  kErrorLaunchFailed = 719,
  kErrorSystemDriverMismatch = 803,
  kErrorStreamCaptureUnsupported = 900,
  kErrorStreamCaptureInvalidated = 901,
  kErrorStreamCaptureUnjoined = 904,
  kErrorStreamCaptureIsolation = 905,
  kErrorUnknown = 999,
};

// Of cuDeviceGetAttribute.
enum : int {
  kAttributeMultiprocessorCount = 16,
  kAttributePciBusId = 33,
  kAttributePciDeviceId = 34,
  kAttributeL2CacheBytes = 38,
  kAttributeComputeCapabilityMajor = 75,
  kAttributeComputeCapabilityMinor = 76,
};

// Of cuModuleLoadDataEx.
enum : int {
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferSizeBytes = 6,
};

enum : unsigned {
  kStreamNonBlocking = 1,   // of cuStreamCreate
  kEventDefault = 0,        // of cuEventCreate
  kEventDisableTiming = 2,  // likewise
  kHostAllocDeviceMap = 2,  // of cuMemHostAlloc
};

// Of cuStreamBeginCapture_v2.
enum : int {
  kCaptureModeGlobal = 0,
  kCaptureModeThreadLocal = 1,
  kCaptureModeRelaxed = 2,
};

// X(name, parameters...), each returning a Result.
#define ACCEL_CUDA_DRIVER_FUNCTIONS(X)                                         \
  X(cuInit, unsigned flags)                                                    \
  X(cuDriverGetVersion, int* version)                                          \
  X(cuGetErrorName, Result error, const char** name)                           \
  X(cuGetErrorString, Result error, const char** text)                         \
  X(cuDeviceGetCount, int* count)                                              \
  X(cuDeviceGet, DeviceOrdinal* device, int ordinal)                           \
  X(cuDeviceGetName, char* name, int size, DeviceOrdinal device)               \
  X(cuDeviceGetUuid_v2, Uuid* uuid, DeviceOrdinal device)                      \
  X(cuDeviceGetAttribute, int* value, int attribute, DeviceOrdinal device)     \
  X(cuDeviceTotalMem_v2, size_t* bytes, DeviceOrdinal device)                  \
  X(cuDevicePrimaryCtxRetain, Context* context, DeviceOrdinal device)          \
  X(cuDevicePrimaryCtxRelease_v2, DeviceOrdinal device)                        \
  X(cuCtxSetCurrent, Context context)                                          \
  X(cuMemGetInfo_v2, size_t* free, size_t* total)                              \
  X(cuMemAlloc_v2, DevicePointer* pointer, size_t bytes)                       \
  X(cuMemFree_v2, DevicePointer pointer)                                       \
  X(cuMemHostAlloc, void** pointer, size_t bytes, unsigned flags)              \
  X(cuMemFreeHost, void* pointer)                                              \
  X(cuMemHostGetDevicePointer_v2, DevicePointer* device, void* host,           \
    unsigned flags)                                                            \
  X(cuMemcpyHtoDAsync_v2, DevicePointer to, const void* from, size_t bytes,    \
    StreamHandle stream)                                                       \
  X(cuMemcpyDtoHAsync_v2, void* to, DevicePointer from, size_t bytes,          \
    StreamHandle stream)                                                       \
  X(cuMemcpyDtoDAsync_v2, DevicePointer to, DevicePointer from, size_t bytes,  \
    StreamHandle stream)                                                       \
  X(cuMemsetD8Async, DevicePointer to, unsigned char value, size_t count,      \
    StreamHandle stream)                                                       \
  X(cuMemsetD16Async, DevicePointer to, unsigned short value, size_t count,    \
    StreamHandle stream)                                                       \
  X(cuMemsetD32Async, DevicePointer to, unsigned value, size_t count,          \
    StreamHandle stream)                                                       \
  X(cuMemsetD2D32Async, DevicePointer to, size_t pitch, unsigned value,        \
    size_t width, size_t height, StreamHandle stream)                          \
  X(cuModuleLoadDataEx, Module* module, const void* image, unsigned count,     \
    int* options, void** values)                                               \
  X(cuModuleUnload, Module module)                                             \
  X(cuModuleGetFunction, Function* function, Module module, const char* name)  \
  X(cuLaunchKernel, Function function, unsigned grid_x, unsigned grid_y,       \
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,     \
    unsigned shared_bytes, StreamHandle stream, void** arguments,              \
    void** extra)                                                              \
  X(cuLaunchHostFunc, StreamHandle stream, HostFunction function, void* data)  \
  X(cuStreamCreate, StreamHandle* stream, unsigned flags)                      \
  X(cuStreamDestroy_v2, StreamHandle stream)                                   \
  X(cuStreamQuery, StreamHandle stream)                                        \
  X(cuStreamWaitEvent, StreamHandle stream, EventHandle event, unsigned flags) \
  X(cuStreamWriteValue32_v2, StreamHandle stream, DevicePointer to,            \
    uint32_t value, unsigned flags)                                            \
  X(cuEventCreate, EventHandle* event, unsigned flags)                         \
  X(cuEventDestroy_v2, EventHandle event)                                      \
  X(cuEventRecord, EventHandle event, StreamHandle stream)                     \
  X(cuEventQuery, EventHandle event)                                           \
  X(cuEventElapsedTime, float* milliseconds, EventHandle begin,                \
    EventHandle end)                                                           \
  X(cuStreamBeginCapture_v2, StreamHandle stream, int mode)                    \
  X(cuStreamEndCapture, StreamHandle stream, Graph* graph)                     \
  X(cuGraphInstantiateWithFlags, GraphExec* exec, Graph graph,                 \
    unsigned long long flags)                                                  \
  X(cuGraphLaunch, GraphExec exec, StreamHandle stream)                        \
  X(cuGraphExecDestroy, GraphExec exec)                                        \
  X(cuGraphDestroy, Graph graph)

struct DriverFunctions {
#define ACCEL_CUDA_MEMBER(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_CUDA_MEMBER)
#undef ACCEL_CUDA_MEMBER
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_ABI_DRIVER_H_
