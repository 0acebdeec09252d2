// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the collectives of a step, in checked arithmetic.
#include "runtime/plan/cost/step_traffic.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/sizes/collective_bytes.h"

namespace accel::runtime {
namespace {

using planpb::Collective;

// The instructions of the repeat, none if there is none; repeats do not nest
// and a step has one.
std::pair<size_t, size_t> RepeatRange(
    absl::Span<const planpb::Instruction> step) {
  for (size_t i = 0; i < step.size(); ++i) {
    if (step[i].has_repeat()) {
      return {i + 1, size_t{step[i].repeat().last()} + 1};
    }
  }
  return {step.size(), step.size()};
}

// Where the bytes of a kind are counted; nothing for kinds that move none.
uint64_t* FieldOf(CollectiveTraffic& traffic, Collective::Kind kind) {
  switch (kind) {
    case Collective::KIND_ALL_GATHER:
      return &traffic.gathered;
    case Collective::KIND_REDUCE_SCATTER:
      return &traffic.scattered;
    case Collective::KIND_ALL_REDUCE:
      return &traffic.all_reduced;
    default:
      return nullptr;
  }
}

// Bytes of a buffer that an access touches, its own part or not.
std::pair<uint64_t, uint64_t> BytesOf(const planpb::Access& access,
                                      uint64_t whole) {
  const uint64_t bytes = access.bytes() != 0 ? access.bytes() : whole;
  return {access.offset(), access.offset() + std::max<uint64_t>(bytes, 1)};
}

struct Readers {
  bool forward = false;
  bool backward = false;
};

// Who reads what the gather at `position` brings, until something else is
// brought to the same place or the repeat ends.
Readers FindReaders(absl::Span<const planpb::Instruction> step, size_t position,
                    size_t end) {
  const Collective& gather = step[position].collective();
  const planpb::Access& output =
      step[position].accesses(gather.output_plus_one() - 1);
  const auto [first, last] = BytesOf(output, TensorBytes(gather));
  Readers readers;
  for (size_t i = position + 1; i < end; ++i) {
    const planpb::Instruction& next = step[i];
    for (const planpb::Access& access : next.accesses()) {
      if (access.buffer() != output.buffer()) {
        continue;
      }
      if (next.has_collective()) {
        const Collective& other = next.collective();
        if (other.bucket_plus_one() != gather.bucket_plus_one() ||
            other.segment_plus_one() == gather.segment_plus_one()) {
          return readers;
        }
        continue;
      }
      const auto [begin, stop] = BytesOf(access, last);
      if (begin < last && stop > first) {
        readers.forward |= next.phase() == planpb::PHASE_FORWARD;
        readers.backward |= next.phase() == planpb::PHASE_BACKWARD;
      }
    }
  }
  return readers;
}

void Count(const Collective& collective, bool repeated, const Readers& readers,
           SegmentTraffic& segment) {
  if (collective.kind() == Collective::KIND_REDUCE_SCATTER) {
    ++(repeated ? segment.scatters : segment.scatters_per_step);
  } else if (collective.kind() == Collective::KIND_ALL_REDUCE) {
    ++segment.all_reduces_per_step;
  } else if (collective.kind() == Collective::KIND_ALL_GATHER) {
    ++(!repeated                             ? segment.gathers_per_step
       : readers.forward && readers.backward ? segment.for_both
       : readers.backward                    ? segment.for_backward
                                             : segment.for_forward);
  }
}

}  // namespace

uint64_t IterationsOf(const planpb::Manifest& manifest, uint64_t ranks,
                      uint64_t global_batch) {
  const uint64_t microbatch = std::max<uint64_t>(manifest.microbatch(), 1);
  const uint64_t each = (global_batch - 1) / microbatch + 1;
  return (each - 1) / ranks + 1;
}

absl::StatusOr<CollectiveTraffic> StepTraffic(
    absl::Span<const planpb::Instruction> step, const RankBinding& binding,
    uint64_t iterations) {
  const auto [begin, end] = RepeatRange(step);
  CollectiveTraffic traffic;
  uint64_t total = 0;
  for (size_t i = 0; i < step.size(); ++i) {
    if (!step[i].has_collective()) {
      continue;
    }
    const Collective& collective = step[i].collective();
    ASSIGN_OR_RETURN(const uint64_t once, BytesSent(collective, binding));
    const auto all =
        CheckedMultiply(once, i >= begin && i < end ? iterations : 1);
    const auto next = all ? CheckedAdd(total, *all) : all;
    if (!next) {
      return absl::InvalidArgumentError(
          absl::StrCat("what a rank sends in a step on ", binding.rank_count(),
                       " ranks exceeds 64 bits"));
    }
    uint64_t* const field = FieldOf(traffic, collective.kind());
    if (field == nullptr && *all != 0) {
      return absl::UnimplementedError(absl::StrCat(
          "expected collectives of parameters and gradients, got '",
          step[i].name(), "'"));
    }
    if (field != nullptr) {
      *field += *all;
      total = *next;
    }
  }
  return traffic;
}

TrafficLimits LimitsOfTraffic(absl::Span<const planpb::Instruction> step) {
  const auto [begin, end] = RepeatRange(step);
  TrafficLimits limits;
  for (size_t i = 0; i < step.size(); ++i) {
    if (!step[i].has_collective()) {
      continue;
    }
    const Collective& collective = step[i].collective();
    const bool repeated = i >= begin && i < end;
    uint64_t* const field = FieldOf(
        repeated ? limits.per_microbatch : limits.per_step, collective.kind());
    if (field == nullptr) {
      continue;
    }
    const uint64_t bytes =
        TensorBytes(collective) *
        (collective.kind() == Collective::KIND_ALL_REDUCE ? 2 : 1);
    const bool scalar = !repeated && collective.bucket_plus_one() == 0;
    (scalar ? limits.scalars_per_step : *field) += bytes;
  }
  return limits;
}

std::vector<SegmentTraffic> CountSegmentTraffic(
    const planpb::Manifest& manifest,
    absl::Span<const planpb::Instruction> step) {
  std::vector<SegmentTraffic> segments;
  std::vector<size_t> first;  // of each bucket
  for (int b = 0; b < manifest.buckets_size(); ++b) {
    first.push_back(segments.size());
    for (int s = 0; s < manifest.buckets(b).segments_size(); ++s) {
      SegmentTraffic segment;
      segment.bucket = static_cast<uint32_t>(b);
      segment.segment = static_cast<uint32_t>(s);
      segments.push_back(segment);
    }
  }
  const auto [begin, end] = RepeatRange(step);
  for (size_t i = 0; i < step.size(); ++i) {
    const Collective& collective = step[i].collective();
    if (!step[i].has_collective() || collective.bucket_plus_one() == 0 ||
        collective.segment_plus_one() == 0) {
      continue;
    }
    const bool repeated = i >= begin && i < end;
    const bool read =
        repeated && collective.kind() == Collective::KIND_ALL_GATHER;
    Count(collective, repeated, read ? FindReaders(step, i, end) : Readers(),
          segments[first[collective.bucket_plus_one() - 1] +
                   collective.segment_plus_one() - 1]);
  }
  return segments;
}

}  // namespace accel::runtime
