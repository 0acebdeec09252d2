// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collectives and the groups.
#include "test/cuda/double/nccl/entry_points.h"
#include "test/cuda/double/nccl/group.h"
#include "test/cuda/double/nccl/refusals.h"

namespace accel::runtime::cuda {
namespace {

namespace nccl = ::accel::cuda_double::nccl;
using nccl::Collective;
using nccl::Kind;

NcclResult Collect(const Collective& collective, NcclComm comm,
                   StreamHandle stream) {
  const NcclResult asked = nccl::Enter(nccl::EntryOf(collective.kind));
  return asked == kNcclSuccess ? nccl::AddCollective(comm, collective, stream)
                               : nccl::FailGroup(asked);
}

}  // namespace

NcclResult ncclAllReduce(const void* send, void* receive, size_t count,
                         NcclDataType type, NcclReduction reduction,
                         NcclComm comm, StreamHandle stream) {
  return Collect({Kind::kAllReduce, send, receive, count, type, reduction, 0},
                 comm, stream);
}

NcclResult ncclReduceScatter(const void* send, void* receive,
                             size_t receive_count, NcclDataType type,
                             NcclReduction reduction, NcclComm comm,
                             StreamHandle stream) {
  return Collect(
      {Kind::kReduceScatter, send, receive, receive_count, type, reduction, 0},
      comm, stream);
}

NcclResult ncclAllGather(const void* send, void* receive, size_t send_count,
                         NcclDataType type, NcclComm comm,
                         StreamHandle stream) {
  return Collect(
      {Kind::kAllGather, send, receive, send_count, type, kNcclSum, 0}, comm,
      stream);
}

NcclResult ncclBroadcast(const void* send, void* receive, size_t count,
                         NcclDataType type, int root, NcclComm comm,
                         StreamHandle stream) {
  return Collect({Kind::kBroadcast, send, receive, count, type, kNcclSum, root},
                 comm, stream);
}

NcclResult ncclReduce(const void* send, void* receive, size_t count,
                      NcclDataType type, NcclReduction reduction, int root,
                      NcclComm comm, StreamHandle stream) {
  return Collect({Kind::kReduce, send, receive, count, type, reduction, root},
                 comm, stream);
}

NcclResult ncclGroupStart() {
  const NcclResult asked = nccl::Enter("ncclGroupStart");
  return asked == kNcclSuccess ? nccl::StartGroup() : asked;
}

// A failure that is asked for makes the group fail, and ends it.
NcclResult ncclGroupEnd() {
  const NcclResult asked = nccl::Enter("ncclGroupEnd");
  if (asked != kNcclSuccess) {
    nccl::FailGroup(asked);
  }
  return nccl::EndGroup();
}

}  // namespace accel::runtime::cuda
