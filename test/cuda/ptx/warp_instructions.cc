// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a warp do together: shuffles, votes, reductions and the
// warp's barrier. None but the barrier orders accesses to memory.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/control.h"
#include "test/cuda/ptx/decoder.h"

namespace accel::ptx {
namespace {

void Wait(Thread& t, const Instruction& i) {
  t.block->WaitInWarp(t, i, Get<uint32_t>(t, i.e));
}

// Threads need not run together, so that one that asks who else is active may
// always find itself alone.
void ActiveMask(Thread& t, const Instruction& i) {
  t.registers[i.d] = uint64_t{1} << t.laneid;
}

// The thread from which a shuffle reads, and whether it is within the segment.
uint32_t SourceOf(const Thread& t, bool* is_valid) {
  const Instruction& i = *t.wait;
  const auto own = static_cast<int>(t.laneid);
  const auto b = static_cast<int>(t.registers[i.b] & 31);
  const auto clamp = static_cast<int>(t.registers[i.c] & 31);
  const auto segment = static_cast<int>(t.registers[i.c] >> 8 & 31);
  const int last = (own & segment) | (clamp & ~segment);
  int source = 0;
  switch (i.warp) {
    case WarpOperation::kShuffleUp:
      source = own - b;
      *is_valid = source >= last;
      break;
    case WarpOperation::kShuffleDown:
      source = own + b;
      *is_valid = source <= last;
      break;
    case WarpOperation::kShuffleButterfly:
      source = own ^ b;
      *is_valid = source <= last;
      break;
    default:
      source = (own & segment) | (b & ~segment);
      *is_valid = source <= last;
      break;
  }
  return static_cast<uint32_t>(*is_valid ? source : own);
}

bool Shuffle(Block& block, absl::Span<Thread* const> threads) {
  uint64_t values[kWarpSize] = {};
  bool takes_part[kWarpSize] = {};
  for (const Thread* t : threads) {
    values[t->laneid] = t->registers[t->wait->a];
    takes_part[t->laneid] = true;
  }
  for (Thread* t : threads) {
    bool is_valid = false;
    const uint32_t source = SourceOf(*t, &is_valid);
    if (source >= kWarpSize || !takes_part[source]) {
      block.Fault(*t, *t->wait,
                  absl::StrCat("the shuffle reads %laneid ", source,
                               ", which does not take part"));
      return false;
    }
    t->registers[t->wait->d] = values[source];
    if (t->wait->d2 != kNone) {
      t->registers[t->wait->d2] = is_valid ? 1 : 0;
    }
  }
  return true;
}

void Vote(absl::Span<Thread* const> threads) {
  uint64_t ballot = 0;
  for (const Thread* t : threads) {
    if (GetPredicate(*t, t->wait->a, t->wait->negated)) {
      ballot |= uint64_t{1} << t->laneid;
    }
  }
  uint64_t everybody = 0;
  for (const Thread* t : threads) {
    everybody |= uint64_t{1} << t->laneid;
  }
  for (Thread* t : threads) {
    uint64_t result = ballot;
    switch (t->wait->warp) {
      case WarpOperation::kVoteAll:
        result = ballot == everybody ? 1 : 0;
        break;
      case WarpOperation::kVoteAny:
        result = ballot != 0 ? 1 : 0;
        break;
      case WarpOperation::kVoteUniform:
        result = ballot == 0 || ballot == everybody ? 1 : 0;
        break;
      default:
        break;
    }
    t->registers[t->wait->d] = result;
  }
}

uint32_t Reduced(WarpOperation operation, uint32_t a, uint32_t b) {
  switch (operation) {
    case WarpOperation::kReduceMin:
      return std::min(a, b);
    case WarpOperation::kReduceMax:
      return std::max(a, b);
    case WarpOperation::kReduceMinSigned:
      return static_cast<uint32_t>(
          std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)));
    case WarpOperation::kReduceMaxSigned:
      return static_cast<uint32_t>(
          std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
    case WarpOperation::kReduceAnd:
      return a & b;
    case WarpOperation::kReduceOr:
      return a | b;
    case WarpOperation::kReduceXor:
      return a ^ b;
    default:
      return a + b;
  }
}

void Reduce(absl::Span<Thread* const> threads) {
  const Thread& first = *threads.front();
  auto result = Get<uint32_t>(first, first.wait->a);
  for (const Thread* t : threads.subspan(1)) {
    result = Reduced(first.wait->warp, result, Get<uint32_t>(*t, t->wait->a));
  }
  for (Thread* t : threads) {
    t->registers[t->wait->d] = result;
  }
}

// --- decoding ---

void DecodeShuffle(Decoder& d) {
  Instruction& i = d.instruction;
  const bool sync = d.Take("sync");
  const absl::string_view mode = d.TakeOneOf({"up", "down", "bfly", "idx"});
  const Type type = d.TakeType();
  d.Expect(5);
  const Operand& result = d.At(0);
  if (result.elements.size() == 2) {
    i.d = d.Destination(result.elements[0], 32);
    i.d2 = d.Destination(result.elements[1], 1);
  } else {
    i.d = d.Destination(0, 32);
  }
  i.a = d.Source(1, Type::kB32);
  i.b = d.Source(2, Type::kB32);
  i.c = d.Source(3, Type::kB32);
  i.e = d.Source(4, Type::kB32);
  i.warp = mode == "up"     ? WarpOperation::kShuffleUp
           : mode == "down" ? WarpOperation::kShuffleDown
           : mode == "bfly" ? WarpOperation::kShuffleButterfly
                            : WarpOperation::kShuffleIndex;
  const bool known = sync && !mode.empty() && type == Type::kB32;
  i.execute = known ? &Wait : nullptr;
}

void DecodeVote(Decoder& d) {
  Instruction& i = d.instruction;
  const bool sync = d.Take("sync");
  const absl::string_view mode = d.TakeOneOf({"all", "any", "uni", "ballot"});
  const Type type = d.TakeType();
  d.Expect(3);
  i.d = d.Destination(0, BitsOf(type));
  i.a = d.Predicate(d.At(1), &i.negated);
  i.e = d.Source(2, Type::kB32);
  i.warp = mode == "all"   ? WarpOperation::kVoteAll
           : mode == "any" ? WarpOperation::kVoteAny
           : mode == "uni" ? WarpOperation::kVoteUniform
                           : WarpOperation::kVoteBallot;
  const bool ballot = mode == "ballot";
  const bool known =
      sync && !mode.empty() && type == (ballot ? Type::kB32 : Type::kPred);
  i.execute = known ? &Wait : nullptr;
}

void DecodeReduction(Decoder& d) {
  Instruction& i = d.instruction;
  const bool sync = d.Take("sync");
  const absl::string_view name =
      d.TakeOneOf({"add", "min", "max", "and", "or", "xor"});
  const Type type = d.TakeType();
  d.Expect(3);
  i.d = d.Destination(0, 32);
  i.a = d.Source(1, type);
  i.e = d.Source(2, Type::kB32);
  const bool is_signed = type == Type::kS32;
  i.warp = name == "min"   ? (is_signed ? WarpOperation::kReduceMinSigned
                                        : WarpOperation::kReduceMin)
           : name == "max" ? (is_signed ? WarpOperation::kReduceMaxSigned
                                        : WarpOperation::kReduceMax)
           : name == "and" ? WarpOperation::kReduceAnd
           : name == "or"  ? WarpOperation::kReduceOr
           : name == "xor" ? WarpOperation::kReduceXor
                           : WarpOperation::kReduceAdd;
  const bool known = sync && !name.empty() && IsBitsOrInteger(type);
  i.execute = known ? &Wait : nullptr;
}

void DecodeActiveMask(Decoder& d) {
  d.TakeType();
  d.Expect(1);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.execute = &ActiveMask;
}

constexpr Family kFamilies[] = {
    {"shfl", &DecodeShuffle},
    {"vote", &DecodeVote},
    {"redux", &DecodeReduction},
    {"activemask", &DecodeActiveMask},
};

}  // namespace

void DecodeWarpBarrier(Decoder& decoder) {
  decoder.Expect(1);
  decoder.instruction.e = decoder.Source(0, Type::kB32);
  decoder.instruction.warp = WarpOperation::kBarrier;
  decoder.instruction.execute = decoder.Take("sync") ? &Wait : nullptr;
}

bool DoTogether(Block& block, absl::Span<Thread* const> threads) {
  const WarpOperation operation = threads.front()->wait->warp;
  if (operation == WarpOperation::kMatrixProduct) {
    return MultiplyTogether(block, threads);
  }
  if (operation >= WarpOperation::kReduceAdd) {
    Reduce(threads);
  } else if (operation >= WarpOperation::kVoteAll) {
    Vote(threads);
  } else {
    return Shuffle(block, threads);
  }
  return true;
}

Decode FindWarpInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
