// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header, blocks, slots: where they lie.
#include "runtime/comm/group_region.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

constexpr char kRegionMagic[8] = {'A', 'C', 'C', 'E', 'L', 'G', 'R', 'P'};
constexpr uint32_t kRegionVersion = 2;
constexpr uint64_t kRegionPage = 4096;
constexpr uint64_t kMaxSlotBytes = uint64_t{1} << 30;

static_assert(sizeof(RegionHeader) <= kRegionPage);
static_assert(std::atomic<uint64_t>::is_always_lock_free &&
              std::atomic<Presence>::is_always_lock_free);

uint64_t RoundUpTo(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

uint64_t SlotsOffset(uint32_t ranks) {
  return RoundUpTo(kRegionPage + ranks * sizeof(RankBlock), kRegionPage);
}

uint64_t SlotBytesFor(uint32_t ranks, uint64_t chunk_bytes) {
  return RoundUpTo(std::max(chunk_bytes, ranks * GroupRegion::kPartAlignment),
                   kRegionPage);
}

}  // namespace

absl::StatusOr<uint64_t> GroupRegion::Bytes(uint32_t ranks,
                                            uint64_t chunk_bytes) {
  if (ranks < 1 || ranks > kMaxRanks) {
    return absl::InvalidArgumentError(
        absl::StrCat("a group has 1 to ", kMaxRanks, " ranks, got ", ranks));
  }
  if (chunk_bytes > kMaxSlotBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a staging slot has at most ", kMaxSlotBytes,
                     " bytes, got ", chunk_bytes));
  }
  return SlotsOffset(ranks) + 2 * ranks * SlotBytesFor(ranks, chunk_bytes);
}

GroupRegion GroupRegion::Format(absl::Span<std::byte> memory, uint32_t ranks,
                                uint64_t chunk_bytes) {
  GroupRegion region(memory.data());
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    new (memory.data() + kRegionPage + rank * sizeof(RankBlock)) RankBlock();
  }
  auto* header = new (memory.data()) RegionHeader();
  std::memcpy(header->magic, kRegionMagic, sizeof kRegionMagic);
  header->version = kRegionVersion;
  header->ranks = ranks;
  header->slot_bytes = SlotBytesFor(ranks, chunk_bytes);
  return region;
}

absl::StatusOr<GroupRegion> GroupRegion::Open(absl::Span<std::byte> memory,
                                              uint32_t ranks) {
  if (memory.size() < kRegionPage ||
      std::memcmp(memory.data(), kRegionMagic, sizeof kRegionMagic) != 0) {
    return absl::InvalidArgumentError(
        "the shared memory is no group's; pass the descriptor that the "
        "launcher made");
  }
  GroupRegion region(memory.data());
  const RegionHeader& header = region.header();
  if (header.version != kRegionVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the group's memory has version ", header.version, ", expected ",
        kRegionVersion, "; all ranks must run the same accel-run"));
  }
  if (header.ranks != ranks) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the group has ", header.ranks, " ranks, this rank expects ", ranks));
  }
  ASSIGN_OR_RETURN(const uint64_t bytes, Bytes(ranks, header.slot_bytes));
  if (memory.size() < bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the group's memory has ", memory.size(),
                     " bytes, expected at least ", bytes));
  }
  return region;
}

RegionHeader& GroupRegion::header() const {
  return *std::launder(reinterpret_cast<RegionHeader*>(base_));
}

RankBlock& GroupRegion::block(uint32_t rank) const {
  return *std::launder(reinterpret_cast<RankBlock*>(base_ + kRegionPage +
                                                    rank * sizeof(RankBlock)));
}

std::byte* GroupRegion::slot(uint32_t rank, uint32_t parity) const {
  return base_ + SlotsOffset(ranks()) +
         (2 * uint64_t{rank} + parity) * slot_bytes();
}

}  // namespace accel::runtime
