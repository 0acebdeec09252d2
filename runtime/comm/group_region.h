// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory in which the ranks of a group meet: one block per rank, written by
// that rank only, and two staging slots per rank. The same layout for threads
// and for processes.
#ifndef ACCEL_RUNTIME_COMM_GROUP_REGION_H_
#define ACCEL_RUNTIME_COMM_GROUP_REGION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/deadline.h"
#include "runtime/comm/collective_call.h"
#include "runtime/comm/end_agreement.h"

namespace accel::runtime {

enum class Presence : uint32_t { kAbsent = 0, kPresent = 1, kLeft = 2 };

// The error that a rank has left for all.
struct FailureRecord {
  int32_t code = 0;
  uint32_t length = 0;
  char text[4088] = {};
};

// What one rank says of itself. All zero: it has not come yet.
struct alignas(64) RankBlock {
  std::atomic<Presence> presence{Presence::kAbsent};
  std::atomic<int32_t> pid{0};  // 0: a thread
  // Barriers that this rank has come to; what it has written before is visible
  // to who has seen the number.
  std::atomic<uint64_t> barriers{0};
  // Calls that it has finished.
  std::atomic<uint64_t> completed{0};
  // Any change is a sign of life.
  std::atomic<uint64_t> beats{0};
  // EndAgreement's.
  std::atomic<uint64_t> begun{0};
  // Of call n at n % 2. Nobody is two calls ahead of anybody, so a description
  // that others compare is not written.
  CallDescription calls[2];
  // Written once, by who has set `failing` from 0 to 1.
  std::atomic<uint32_t> failing{0};
  FailureRecord failure;
};

struct RegionHeader {
  char magic[8] = {};
  uint32_t version = 0;
  uint32_t ranks = 0;
  uint64_t slot_bytes = 0;
  WakeWord word;
  // The rank whose `failure` counts, plus one. The first one wins.
  std::atomic<uint32_t> first_failure_plus_one{0};
  EndWords end;
};

// A view of the region.
// Borrows: the memory.
class GroupRegion {
 public:
  static constexpr uint32_t kMaxRanks = 1024;
  static constexpr uint64_t kPartAlignment = 64;

  // Bytes of a region, a multiple of a page. InvalidArgument for what cannot
  // be a group.
  static absl::StatusOr<uint64_t> Bytes(uint32_t ranks, uint64_t chunk_bytes);
  // Makes one of zeroed memory.
  // Requires: `memory` has Bytes(ranks, chunk_bytes).
  static GroupRegion Format(absl::Span<std::byte> memory, uint32_t ranks,
                            uint64_t chunk_bytes);
  // Finds one that somebody else has made.
  static absl::StatusOr<GroupRegion> Open(absl::Span<std::byte> memory,
                                          uint32_t ranks);

  uint32_t ranks() const { return header().ranks; }
  // At least kPartAlignment per rank.
  uint64_t slot_bytes() const { return header().slot_bytes; }
  RegionHeader& header() const;
  RankBlock& block(uint32_t rank) const;
  // `parity`: 0 or 1.
  std::byte* slot(uint32_t rank, uint32_t parity) const;

 private:
  explicit GroupRegion(std::byte* base) : base_(base) {}

  std::byte* base_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_COMM_GROUP_REGION_H_
