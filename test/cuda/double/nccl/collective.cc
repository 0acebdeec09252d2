// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/collective.h"

namespace accel::cuda_double::nccl {
namespace {

struct Type {
  cuda::NcclDataType type;
  size_t bytes;
  const char* name;
};

// A contribution to the segment has at most 64 GiB, from at most 64 ranks.
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

constexpr Type kTypes[] = {
    {cuda::kNcclUint8, 1, "u8"},
    {cuda::kNcclInt64, 8, "i64"},
    {cuda::kNcclFloat32, 4, "f32"},
    {cuda::kNcclFloat64, 8, "f64"},
};

std::string TypeName(cuda::NcclDataType type) {
  for (const Type& known : kTypes) {
    if (known.type == type) {
      return known.name;
    }
  }
  return "elements of type " + std::to_string(type);
}

const char* ReductionName(cuda::NcclReduction reduction) {
  switch (reduction) {
    case cuda::kNcclSum:
      return "sum";
    case cuda::kNcclMax:
      return "max";
    case cuda::kNcclMin:
      return "min";
    default:
      return nullptr;
  }
}

size_t ReceivedCount(const Collective& collective, const Rank& rank) {
  if (collective.kind == Kind::kReduce && rank.rank != collective.root) {
    return 0;
  }
  return collective.kind == Kind::kAllGather
             ? collective.count * static_cast<size_t>(rank.ranks)
             : collective.count;
}

uint64_t Address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// Where the send buffer lies if the call is in place.
uint64_t InPlaceSend(const Collective& collective, const Rank& rank) {
  const uint64_t part = collective.count * ElementBytes(collective.type) *
                        static_cast<uint64_t>(rank.rank);
  const uint64_t receive = Address(collective.receive);
  switch (collective.kind) {
    case Kind::kReduceScatter:
      return receive - part;
    case Kind::kAllGather:
      return receive + part;
    default:
      return receive;
  }
}

}  // namespace

size_t ElementBytes(cuda::NcclDataType type) {
  for (const Type& known : kTypes) {
    if (known.type == type) {
      return known.bytes;
    }
  }
  return 0;
}

const char* EntryOf(Kind kind) {
  switch (kind) {
    case Kind::kAllReduce:
      return "ncclAllReduce";
    case Kind::kReduceScatter:
      return "ncclReduceScatter";
    case Kind::kAllGather:
      return "ncclAllGather";
    case Kind::kBroadcast:
      return "ncclBroadcast";
    case Kind::kReduce:
      return "ncclReduce";
  }
  return "";
}

bool Reduces(const Collective& collective) {
  return collective.kind != Kind::kAllGather &&
         collective.kind != Kind::kBroadcast;
}

bool HasRoot(const Collective& collective) {
  return collective.kind == Kind::kBroadcast ||
         collective.kind == Kind::kReduce;
}

std::string Describe(const Collective& collective) {
  std::string text = EntryOf(collective.kind);
  text += " of " + std::to_string(collective.count) + " " +
          TypeName(collective.type);
  if (Reduces(collective)) {
    const char* name = ReductionName(collective.reduction);
    text += ", ";
    text += name == nullptr
                ? "reduction " + std::to_string(collective.reduction)
                : name;
  }
  if (HasRoot(collective)) {
    text += ", root " + std::to_string(collective.root);
  }
  return text;
}

size_t SentCount(const Collective& collective, const Rank& rank) {
  if (collective.kind == Kind::kBroadcast && rank.rank != collective.root) {
    return 0;
  }
  return collective.kind == Kind::kReduceScatter
             ? collective.count * static_cast<size_t>(rank.ranks)
             : collective.count;
}

Range ReadBy(const Collective& collective, const Rank& rank) {
  return {Address(collective.send),
          SentCount(collective, rank) * ElementBytes(collective.type)};
}

Range WrittenBy(const Collective& collective, const Rank& rank) {
  return {Address(collective.receive),
          ReceivedCount(collective, rank) * ElementBytes(collective.type)};
}

std::string CheckArguments(const Collective& collective, const Rank& rank) {
  const size_t bytes = ElementBytes(collective.type);
  if (bytes == 0) {
    return "the double knows no type " + std::to_string(collective.type);
  }
  if (Reduces(collective) && ReductionName(collective.reduction) == nullptr) {
    return "the double knows no reduction " +
           std::to_string(collective.reduction);
  }
  if (HasRoot(collective) &&
      (collective.root < 0 || collective.root >= rank.ranks)) {
    return "the root is none of the " + std::to_string(rank.ranks) + " ranks";
  }
  if (collective.count > kMaxBytes / bytes) {
    return "the double takes at most 1 GiB";
  }
  for (const Range& range :
       {ReadBy(collective, rank), WrittenBy(collective, rank)}) {
    if (range.bytes != 0 && range.begin == 0) {
      return "a buffer is null";
    }
    if (range.bytes != 0 && range.begin % bytes != 0) {
      return "a buffer is not aligned to its elements";
    }
  }
  return "";
}

std::string CheckOverlap(const Collective& collective, const Rank& rank) {
  const Range read = ReadBy(collective, rank);
  const Range written = WrittenBy(collective, rank);
  if (!read.Overlaps(written) || read.begin == InPlaceSend(collective, rank)) {
    return "";
  }
  return "the buffers overlap in another way than NCCL documents as in place";
}

std::string CheckGroup(const std::vector<Collective>& group, const Rank& rank) {
  const Collective& last = group.back();
  const Range written = WrittenBy(last, rank);
  for (size_t k = 0; k + 1 < group.size(); ++k) {
    const Range other = WrittenBy(group[k], rank);
    if (written.Overlaps(other) || written.Overlaps(ReadBy(group[k], rank)) ||
        other.Overlaps(ReadBy(last, rank))) {
      return "a group is one operation, and a buffer that it writes is also a "
             "buffer of its " +
             Describe(group[k]);
    }
  }
  return "";
}

}  // namespace accel::cuda_double::nccl
