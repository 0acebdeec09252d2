// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface to the other ranks of a group: collectives that are started and
// waited for, memory that all of them share, and how one rank's end becomes
// that of all. docs/communicators.md says what holds for all of them.
#ifndef ACCEL_RUNTIME_COMM_COMMUNICATOR_H_
#define ACCEL_RUNTIME_COMM_COMMUNICATOR_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/collective_call.h"
#include "runtime/comm/end_agreement.h"
#include "runtime/plan/memory/staging.h"

namespace accel::runtime {

struct CommunicatorOptions {
  // The longest wait for a rank that shows no progress.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  // Of one staging slot; each rank has two. Used by who makes the group.
  uint64_t chunk_bytes = kStagingSlotBytes;
};

// One rank's end of its group.
//
// Invariants
//   1. Results depend on the ranks' inputs alone: each element is reduced in
//      the order of the ranks, in its own type.
//   2. All ranks have made the same call before any byte is moved; else all of
//      them fail with the same message.
//   3. The first error of any rank ends every wait of all ranks, now and later,
//      with that error.
//   4. A call allocates nothing unless it fails.
//
// Threads: the methods of the first group belong to one thread at a time, those
// of the second may be called from any. A rank that destroys its communicator
// has left; who then waits for it fails.
class Communicator {
 public:
  // A started call; calls end in the order in which they were started.
  struct Ticket {
    uint64_t number = 0;
  };

  virtual ~Communicator() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t ranks() const = 0;

  // Tells the others that this rank has come to the call, and does not wait for
  // them. From now on others may write to an output in shared memory. A call
  // that is wrong by itself is refused here, and ends nobody else.
  virtual absl::StatusOr<Ticket> Start(const CollectiveCall& call) = 0;
  // Does the work of all calls up to `ticket` on the calling thread. The
  // timeout counts from the last sign of life of the rank that is waited for.
  virtual absl::Status Wait(Ticket ticket) = 0;

  absl::Status Run(const CollectiveCall& call) {
    ASSIGN_OR_RETURN(const Ticket ticket, Start(call));
    return Wait(ticket);
  }

  // Zeroed memory, the same for all ranks; every rank asks for the same sizes
  // in the same order. It lives as long as the communicator. An all_gather or
  // broadcast whose output lies in it moves each byte once.
  // Requires: no call is under way.
  virtual absl::StatusOr<absl::Span<std::byte>> AllocateShared(
      uint64_t bytes, absl::string_view name) = 0;

  // Ends all ranks' waits with "rank <this>: <message of status>".
  // Requires: `status` is not OK.
  virtual void Abort(const absl::Status& status) = 0;
  // The same for what somebody has noticed of another rank, its death for
  // instance: "rank <rank>: <message of status>".
  virtual void PeerFailed(uint32_t rank, const absl::Status& status) = 0;
  // Shows the others that this rank gets on, though it does not come to its
  // next call yet. Cheap: to be called after every instruction.
  virtual void ReportProgress() = 0;
  // How often all ranks together have shown progress: while it grows, nobody
  // who waits for the group waits in vain.
  virtual uint64_t GroupProgress() const = 0;
  // OK, or the error that ended the group.
  virtual absl::Status Health() const = 0;
  // Of what all ranks do in the same pieces.
  virtual EndAgreement& end_agreement() = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_COMMUNICATOR_H_
