// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/contribution.h"

#include <algorithm>
#include <cstring>

#include "test/cuda/double/nccl/reduction.h"

namespace accel::cuda_double::nccl {
namespace {

// How a contribution begins: one Summary, then an Entry for each collective,
// then the bytes that are sent.
struct Summary {
  uint64_t collectives;
  uint64_t is_captured;
};

struct Entry {
  Kind kind;
  int type;
  int reduction;
  int root;
  uint64_t count;
};

// Elements that are combined at a time, a multiple of kChunk.
constexpr size_t kBlock = 4096;

Entry EntryFor(const Collective& collective) {
  return {collective.kind, collective.type,
          Reduces(collective) ? collective.reduction : 0,
          HasRoot(collective) ? collective.root : 0, collective.count};
}

bool IsSame(const Entry& a, const Entry& b) {
  return a.kind == b.kind && a.type == b.type && a.reduction == b.reduction &&
         a.root == b.root && a.count == b.count;
}

std::string DescribeEntry(const Entry& entry) {
  Collective collective;
  collective.kind = entry.kind;
  collective.type = entry.type;
  collective.reduction = entry.reduction;
  collective.root = entry.root;
  collective.count = entry.count;
  return Describe(collective);
}

// Where a rank's bytes for a collective of the group begin.
uint64_t PayloadOf(const std::vector<Collective>& group, size_t index,
                   const Rank& rank) {
  uint64_t offset = sizeof(Summary) + group.size() * sizeof(Entry);
  for (size_t k = 0; k < index; ++k) {
    offset += ReadBy(group[k], rank).bytes;
  }
  return offset;
}

class Receiver {
 public:
  Receiver(Segment& segment, const Rank& rank, uint64_t position,
           const std::vector<Collective>& group, size_t index)
      : segment_(segment),
        rank_(rank),
        position_(position),
        collective_(group[index]),
        bytes_(ElementBytes(collective_.type)) {
    for (int peer = 0; peer < rank.ranks; ++peer) {
      payloads_.push_back(PayloadOf(group, index, {peer, rank.ranks}));
    }
  }

  void Receive() {
    switch (collective_.kind) {
      case Kind::kAllReduce:
        return Reduce(0, collective_.count);
      case Kind::kReduce:
        return rank_.rank == collective_.root ? Reduce(0, collective_.count)
                                              : void();
      case Kind::kReduceScatter:
        return Reduce(static_cast<size_t>(rank_.rank) * collective_.count,
                      collective_.count * static_cast<size_t>(rank_.ranks));
      case Kind::kBroadcast:
        return Copy(collective_.root, 0);
      case Kind::kAllGather:
        for (int peer = 0; peer < rank_.ranks; ++peer) {
          Copy(peer, static_cast<size_t>(peer) * collective_.count);
        }
    }
  }

 private:
  void Read(int peer, size_t first, size_t count, void* to) {
    segment_.Read(peer, position_,
                  payloads_[static_cast<size_t>(peer)] + first * bytes_, to,
                  count * bytes_);
  }

  std::byte* At(size_t element) const {
    return static_cast<std::byte*>(collective_.receive) + element * bytes_;
  }

  void Copy(int peer, size_t to) { Read(peer, 0, collective_.count, At(to)); }

  // The elements from `first` on, of vectors of `total` elements.
  void Reduce(size_t first, size_t total) {
    std::vector<std::vector<std::byte>> from(static_cast<size_t>(rank_.ranks));
    for (size_t done = 0; done < collective_.count;) {
      const size_t count = std::min(kBlock, collective_.count - done);
      for (int peer = 0; peer < rank_.ranks; ++peer) {
        std::vector<std::byte>& block = from[static_cast<size_t>(peer)];
        block.resize(count * bytes_);
        Read(peer, first + done, count, block.data());
      }
      Combine(collective_.type, collective_.reduction, from, total,
              first + done, count, At(done));
      done += count;
    }
  }

  Segment& segment_;
  const Rank rank_;
  const uint64_t position_;
  const Collective collective_;
  const size_t bytes_;
  std::vector<uint64_t> payloads_;  // of each rank
};

}  // namespace

void Publish(Segment& segment, const Rank& rank, uint64_t position,
             const Operation& operation) {
  const std::vector<Collective>& group = operation.group;
  const Summary summary = {group.size(), operation.is_captured ? 1u : 0u};
  segment.Write(rank.rank, position, 0, &summary, sizeof(summary));
  for (size_t k = 0; k < group.size(); ++k) {
    const Entry entry = EntryFor(group[k]);
    segment.Write(rank.rank, position, sizeof(summary) + k * sizeof(entry),
                  &entry, sizeof(entry));
    segment.Write(rank.rank, position, PayloadOf(group, k, rank), group[k].send,
                  ReadBy(group[k], rank).bytes);
  }
  segment.header().members[rank.rank].begun = position;
}

std::string FindMismatch(Segment& segment, const Rank& rank, uint64_t position,
                         const Operation& operation) {
  for (int peer = 0; peer < rank.ranks; ++peer) {
    const std::string where = "the operation " + std::to_string(position) +
                              " of the communicator is ";
    const std::string mine = " on rank " + std::to_string(rank.rank);
    const std::string theirs = " on rank " + std::to_string(peer);
    Summary summary = {};
    segment.Read(peer, position, 0, &summary, sizeof(summary));
    if (summary.collectives != operation.group.size()) {
      return "mismatch: " + where + std::to_string(operation.group.size()) +
             " collectives" + mine + " and " +
             std::to_string(summary.collectives) + theirs;
    }
    if (summary.is_captured != (operation.is_captured ? 1u : 0u)) {
      return "mismatch: " + where +
             (operation.is_captured ? "of a graph" : "of no graph") + mine +
             (operation.is_captured ? " and of none" : " and of one") + theirs;
    }
    for (size_t k = 0; k < operation.group.size(); ++k) {
      const Entry own = EntryFor(operation.group[k]);
      Entry entry = {};
      segment.Read(peer, position, sizeof(summary) + k * sizeof(entry), &entry,
                   sizeof(entry));
      if (!IsSame(own, entry)) {
        return "mismatch: " + where + DescribeEntry(own) + mine + " and " +
               DescribeEntry(entry) + theirs;
      }
    }
  }
  return "";
}

void Receive(Segment& segment, const Rank& rank, uint64_t position,
             const Operation& operation) {
  for (size_t k = 0; k < operation.group.size(); ++k) {
    Receiver(segment, rank, position, operation.group, k).Receive();
  }
}

}  // namespace accel::cuda_double::nccl
