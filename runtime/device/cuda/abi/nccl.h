// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this project uses of NCCL's interface, libnccl.so.2: names, types and
// numbers as NVIDIA documents them (NCCL 2.14 and later), so that a build needs
// nothing of NVIDIA's. test/cuda/abi holds them against nccl.h wherever that is
// installed.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_ABI_NCCL_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_ABI_NCCL_H_

#include <cstddef>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::runtime::cuda {

using NcclResult = int;     // ncclResult_t
using NcclDataType = int;   // ncclDataType_t
using NcclReduction = int;  // ncclRedOp_t
using NcclComm = struct NcclCommOpaque*;

enum : NcclResult {
  kNcclSuccess = 0,
  kNcclUnhandledCudaError = 1,
  kNcclSystemError = 2,
  kNcclInternalError = 3,
  kNcclInvalidArgument = 4,
  kNcclInvalidUsage = 5,
  kNcclRemoteError = 6,
  kNcclInProgress = 7,
};

enum : NcclDataType {
  kNcclUint8 = 1,
  kNcclInt64 = 4,
  kNcclFloat32 = 7,
  kNcclFloat64 = 8,
};

enum : NcclReduction {
  kNcclSum = 0,
  kNcclMax = 2,
  kNcclMin = 3,
};

struct NcclUniqueId {
  char bytes[128];
};

// ncclConfig_t as of version 2.14, which later libraries accept: `size` and
// `version` say so.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;  // 1: calls return when they are done, without a deadline
};

// X(result, name, parameters...)
#define ACCEL_NCCL_FUNCTIONS(X)                                               \
  X(NcclResult, ncclGetVersion, int* version)                                 \
  X(const char*, ncclGetErrorString, NcclResult error)                        \
  X(const char*, ncclGetLastError, NcclComm comm)                             \
  X(NcclResult, ncclGetUniqueId, NcclUniqueId* id)                            \
  X(NcclResult, ncclCommInitRankConfig, NcclComm* comm, int ranks,            \
    NcclUniqueId id, int rank, NcclConfig* config)                            \
  X(NcclResult, ncclCommGetAsyncError, NcclComm comm, NcclResult* error)      \
  X(NcclResult, ncclCommFinalize, NcclComm comm)                              \
  X(NcclResult, ncclCommDestroy, NcclComm comm)                               \
  X(NcclResult, ncclCommAbort, NcclComm comm)                                 \
  X(NcclResult, ncclGroupStart)                                               \
  X(NcclResult, ncclGroupEnd)                                                 \
  X(NcclResult, ncclAllReduce, const void* send, void* receive, size_t count, \
    NcclDataType type, NcclReduction reduction, NcclComm comm,                \
    StreamHandle stream)                                                      \
  X(NcclResult, ncclReduceScatter, const void* send, void* receive,           \
    size_t receive_count, NcclDataType type, NcclReduction reduction,         \
    NcclComm comm, StreamHandle stream)                                       \
  X(NcclResult, ncclAllGather, const void* send, void* receive,               \
    size_t send_count, NcclDataType type, NcclComm comm, StreamHandle stream) \
  X(NcclResult, ncclBroadcast, const void* send, void* receive, size_t count, \
    NcclDataType type, int root, NcclComm comm, StreamHandle stream)          \
  X(NcclResult, ncclReduce, const void* send, void* receive, size_t count,    \
    NcclDataType type, NcclReduction reduction, int root, NcclComm comm,      \
    StreamHandle stream)

struct NcclFunctions {
#define ACCEL_NCCL_MEMBER(result, name, ...) \
  result (*name)(__VA_ARGS__) = nullptr;
  ACCEL_NCCL_FUNCTIONS(ACCEL_NCCL_MEMBER)
#undef ACCEL_NCCL_MEMBER
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_ABI_NCCL_H_
