// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What differs between ranks that are threads and ranks that are processes:
// where their memory comes from and how one knows that a rank has died.
#ifndef ACCEL_RUNTIME_COMM_GROUP_H_
#define ACCEL_RUNTIME_COMM_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/comm/group_region.h"

namespace accel::runtime {

// One rank's view of its group.
//
// Threads: region() from any; the rest by the thread that waits.
class Group {
 public:
  virtual ~Group() = default;

  virtual const GroupRegion& region() const = 0;
  // Bytes [offset, offset + bytes) of the memory that grows: zeroed, at the
  // same offset the same memory for all ranks, mapped until the group's end.
  // Requires: every rank asks for the same ranges in the same order; the offset
  // is a multiple of a page.
  virtual absl::StatusOr<std::byte*> Extend(uint64_t offset,
                                            uint64_t bytes) = 0;
  // True if the rank has come and its process is no more. Costs a system call.
  virtual bool HasDied(uint32_t rank) = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_GROUP_H_
