// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ranks that do the same pieces of work, one after the other, agree before
// which piece they all end, though none of them waits for the others.
#ifndef ACCEL_RUNTIME_COMM_END_AGREEMENT_H_
#define ACCEL_RUNTIME_COMM_END_AGREEMENT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace accel::runtime {

// What all ranks share. Zero bytes are a valid one.
struct EndWords {
  // Somebody decides; from then on no rank begins a piece without the decision.
  std::atomic<uint32_t> deciding{0};
  // The piece before which all end. 0: it is not decided.
  std::atomic<uint64_t> end{0};
};

// Invariants
//   1. No rank has begun the piece before which all end when that is decided,
//      and none does afterwards.
//   2. It is decided once, and the same for all ranks.
//
// Threads: everything may be called from any thread of any process.
class EndAgreement {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  // `begun`: per rank the last piece that any of its threads has begun, zero at
  // first; the group's memory. Borrows: all of it.
  EndAgreement(EndWords& words, std::vector<std::atomic<uint64_t>*> begun,
               uint32_t rank, std::chrono::nanoseconds timeout);

  // To be called by each thread of each rank before it begins piece `piece`;
  // pieces count upwards from 1. Returns the piece before which all end, or
  // kNone: this one may begin. With `ends` that is decided now, if it is not
  // yet. Does not wait, but for somebody who is just deciding: then until that
  // is done, `health` says that the group has failed, or the timeout.
  absl::StatusOr<uint64_t> Begin(uint64_t piece, bool ends,
                                 absl::FunctionRef<absl::Status()> health);

 private:
  void Decide();

  EndWords& words_;
  const std::vector<std::atomic<uint64_t>*> begun_;
  const uint32_t rank_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_END_AGREEMENT_H_
