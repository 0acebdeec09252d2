// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are processes of one host. Their memory is a memfd: one process
// makes it, the others inherit or receive its descriptor, and nothing of it is
// left when they are gone.
#ifndef ACCEL_RUNTIME_COMM_SHM_GROUP_H_
#define ACCEL_RUNTIME_COMM_SHM_GROUP_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/comm/communicator.h"
#include "runtime/io/shared_memory.h"

namespace accel::runtime {

// The memory of a new group. The descriptor is closed on exec; who passes it
// on to a child decides otherwise.
absl::StatusOr<FileDescriptor> CreateShmGroup(
    uint32_t ranks, const CommunicatorOptions& options);

// Joins the group of `memory` as `rank`, each rank once. A rank's death is
// noticed by those who wait for it: its process is the one that joined.
absl::StatusOr<std::unique_ptr<Communicator>> JoinShmGroup(
    FileDescriptor memory, uint32_t rank, uint32_t ranks,
    const CommunicatorOptions& options);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_SHM_GROUP_H_
