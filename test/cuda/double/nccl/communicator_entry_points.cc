// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library itself, and the life of communicators.
#include <climits>
#include <cstring>

#include "test/cuda/double/driver/inspect.h"
#include "test/cuda/double/nccl/communicators.h"
#include "test/cuda/double/nccl/configuration.h"
#include "test/cuda/double/nccl/entry_points.h"
#include "test/cuda/double/nccl/group.h"
#include "test/cuda/double/nccl/refusals.h"

namespace accel::runtime::cuda {
namespace {

namespace nccl = ::accel::cuda_double::nccl;

constexpr unsigned kMagic = 0xcafebeef;
constexpr int kUndefined = INT_MIN;  // of a member of the configuration
constexpr char kInit[] = "ncclCommInitRankConfig";

NcclResult Refuse(const std::string& text) {
  return nccl::Misuse(kNcclInvalidArgument, std::string(kInit) + ": " + text);
}

// A configuration may be that of an older library, and shorter, or that of a
// younger one, and longer. Version 2.14 was the first to have one; NCCL ignores
// the member of what says that it is older.
NcclResult CheckConfig(const NcclConfig* config, bool* is_blocking) {
  *is_blocking = true;
  if (config == nullptr) {
    return kNcclSuccess;
  }
  if (config->magic != kMagic) {
    return Refuse("the configuration has not been initialised");
  }
  if (config->size < sizeof(NcclConfig) || config->size > 4096) {
    return Refuse("the configuration has an unlikely size of " +
                  std::to_string(config->size));
  }
  if (config->version < 21400) {
    return kNcclSuccess;
  }
  if (config->blocking != kUndefined && config->blocking != 0 &&
      config->blocking != 1) {
    return Refuse("`blocking` is neither 0 nor 1");
  }
  *is_blocking = config->blocking != 0;
  return kNcclSuccess;
}

NcclResult Join(NcclComm* comm, const NcclUniqueId& id,
                const nccl::Communicator::Options& options) {
  std::shared_ptr<nccl::Segment> segment = nccl::Segment::Open(id);
  if (segment == nullptr) {
    return nccl::Misuse(kNcclSystemError,
                        std::string(kInit) +
                            ": the id is none, or whoever made it has ended, "
                            "or all ranks have joined by it");
  }
  NcclResult result = kNcclSuccess;
  auto communicator =
      nccl::Communicator::Join(std::move(segment), options, &result);
  if (communicator == nullptr) {
    return result;
  }
  *comm = nccl::AddCommunicator(std::move(communicator));
  return nccl::AddJoining(comm);
}

NcclResult InitRank(NcclComm* comm, int ranks, const NcclUniqueId& id, int rank,
                    const NcclConfig* config) {
  nccl::Communicator::Options options;
  options.rank = {rank, ranks};
  if (comm == nullptr) {
    return Refuse("the place for the communicator is null");
  }
  *comm = nullptr;
  if (ranks < 1 || ranks > nccl::kMaxRanks || rank < 0 || rank >= ranks) {
    return Refuse("rank " + std::to_string(rank) + " of " +
                  std::to_string(ranks) + " does not exist");
  }
  NcclResult result = nccl::CheckMayJoin();
  if (result == kNcclSuccess) {
    result = CheckConfig(config, &options.is_blocking);
  }
  if (result != kNcclSuccess) {
    return result;
  }
  const Result current = accel_double_current_gpu(&options.gpu);
  if (current != kSuccess) {
    return nccl::Fail(kNcclUnhandledCudaError,
                      std::string(kInit) +
                          ": the current context gives error " +
                          std::to_string(current));
  }
  return Join(comm, id, options);
}

// Of calls that end a communicator. A null one is none to end.
template <typename EndIt>
NcclResult End(const char* entry, NcclComm comm, EndIt end) {
  NcclResult result = nccl::Enter(entry);
  if (result != kNcclSuccess || comm == nullptr) {
    return result;
  }
  const auto communicator = nccl::RequireCommunicator(comm, entry, &result);
  if (communicator != nullptr) {
    result = nccl::CheckNotGrouped(*communicator, entry);
  }
  return result == kNcclSuccess ? end(*communicator) : result;
}

}  // namespace

NcclResult ncclGetVersion(int* version) {
  const NcclResult asked = nccl::Enter("ncclGetVersion");
  if (asked != kNcclSuccess) {
    return asked;
  }
  if (version == nullptr) {
    return nccl::Misuse(kNcclInvalidArgument, "ncclGetVersion: null");
  }
  *version = ::accel::cuda_double::nccl::TheConfiguration().version;
  return kNcclSuccess;
}

const char* ncclGetErrorString(NcclResult error) {
  nccl::Enter("ncclGetErrorString");
  switch (error) {
    case kNcclSuccess:
      return "no error";
    case kNcclUnhandledCudaError:
      return "unhandled cuda error";
    case kNcclSystemError:
      return "unhandled system error";
    case kNcclInternalError:
      return "internal error";
    case kNcclInvalidArgument:
      return "invalid argument";
    case kNcclInvalidUsage:
      return "invalid usage";
    case kNcclRemoteError:
      return "remote process exited or there was a network error";
    case kNcclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(NcclComm) {
  nccl::Enter("ncclGetLastError");
  return nccl::LastError();
}

NcclResult ncclGetUniqueId(NcclUniqueId* id) {
  const NcclResult asked = nccl::Enter("ncclGetUniqueId");
  if (asked != kNcclSuccess) {
    return asked;
  }
  if (id == nullptr) {
    return nccl::Misuse(kNcclInvalidArgument, "ncclGetUniqueId: null");
  }
  return nccl::Segment::Create(id)
             ? kNcclSuccess
             : nccl::Fail(kNcclSystemError,
                          "ncclGetUniqueId: the system gives no shared memory");
}

NcclResult ncclCommInitRankConfig(NcclComm* comm, int ranks, NcclUniqueId id,
                                  int rank, NcclConfig* config) {
  const NcclResult asked = nccl::Enter(kInit);
  if (asked != kNcclSuccess) {
    return nccl::FailGroup(asked);
  }
  const NcclResult result = InitRank(comm, ranks, id, rank, config);
  return result == kNcclSuccess || result == kNcclInProgress
             ? result
             : nccl::FailGroup(result);
}

NcclResult ncclCommGetAsyncError(NcclComm comm, NcclResult* error) {
  NcclResult result = nccl::Enter("ncclCommGetAsyncError");
  if (result != kNcclSuccess) {
    return result;
  }
  if (error == nullptr) {
    return nccl::Misuse(kNcclInvalidArgument, "ncclCommGetAsyncError: null");
  }
  const auto communicator =
      nccl::RequireCommunicator(comm, "ncclCommGetAsyncError", &result);
  if (communicator != nullptr) {
    *error = communicator->Poll();
  }
  return result;
}

NcclResult ncclCommFinalize(NcclComm comm) {
  return End("ncclCommFinalize", comm, [](nccl::Communicator& communicator) {
    return communicator.Finalise();
  });
}

NcclResult ncclCommDestroy(NcclComm comm) {
  return End("ncclCommDestroy", comm, [&](nccl::Communicator& communicator) {
    const NcclResult result = communicator.Destroy();
    if (result == kNcclSuccess) {
      nccl::RemoveCommunicator(comm);
    }
    return result;
  });
}

NcclResult ncclCommAbort(NcclComm comm) {
  return End("ncclCommAbort", comm, [&](nccl::Communicator& communicator) {
    communicator.Abort();
    nccl::RemoveCommunicator(comm);
    return NcclResult{kNcclSuccess};
  });
}

}  // namespace accel::runtime::cuda
