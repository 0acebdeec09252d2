// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay of a function over a map from shared bytes to the collective that
// wrote them.
#include "runtime/plan/cost/gathered_buckets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/verify/interval_map.h"

namespace accel::runtime {
namespace {

class Replay {
 public:
  Replay(const PlanView& plan, const FunctionView& function,
         const MemoryLayout& layout, uint64_t repetitions)
      : plan_(plan), layout_(layout), clocks_(plan, function, repetitions) {}

  absl::Status Step(const Instance& instance);
  std::vector<GatheredSegment> Take() { return std::move(segments_); }

 private:
  static constexpr size_t kNothing = 0;  // else: index in segments_, plus one

  bool IsShared(const planpb::Access& access) const {
    return plan_.buffer(access.buffer()).space() == planpb::SPACE_SHARED;
  }
  void Read(const Instance& instance, const planpb::Access& access,
            uint64_t tick);
  void Write(const Instance& instance, const planpb::Access& access,
             const StreamClock& known, uint64_t tick);

  const PlanView& plan_;
  const MemoryLayout& layout_;
  StreamClocks clocks_;
  uint64_t position_ = 0;
  std::vector<GatheredSegment> segments_;
  IntervalMap<size_t> bytes_;
};

void Replay::Read(const Instance& instance, const planpb::Access& access,
                  uint64_t tick) {
  const ByteRange range = layout_.RangeOf(access, instance.iteration);
  bytes_.ForEach(range.begin, range.end, [&](size_t segment_plus_one) {
    if (segment_plus_one == kNothing) {
      return true;
    }
    GatheredSegment& segment = segments_[segment_plus_one - 1];
    segment.last = position_;
    segment.ends[instance.instruction->stream()] = tick;
    const bool known =
        !segment.reads.empty() &&
        segment.reads.back().instruction == instance.instruction &&
        segment.reads.back().iteration == instance.iteration;
    if (!known) {
      segment.reads.push_back(instance);
    }
    return true;
  });
}

void Replay::Write(const Instance& instance, const planpb::Access& access,
                   const StreamClock& known, uint64_t tick) {
  const planpb::Collective& collective = instance.instruction->collective();
  const ByteRange range = layout_.RangeOf(access, instance.iteration);
  GatheredSegment segment;
  segment.bucket =
      collective.bucket_plus_one() == 0
          ? plan_.buffer(access.buffer()).name()
          : plan_.manifest()
                .buckets(static_cast<int>(collective.bucket_plus_one() - 1))
                .name();
  segment.segment_plus_one = collective.segment_plus_one();
  segment.bytes = range.size();
  segment.gather = instance.instruction;
  segment.iteration = instance.iteration;
  segment.first = segment.last = position_;
  segment.known_at_gather = known;
  segment.ends[instance.instruction->stream()] = tick;
  segments_.push_back(std::move(segment));
  bytes_.Assign(range.begin, range.end, segments_.size());
}

absl::Status Replay::Step(const Instance& instance) {
  RETURN_IF_ERROR(clocks_.Begin(instance));
  const planpb::Instruction& instruction = *instance.instruction;
  const StreamClock known = clocks_.Known(instruction.stream());
  const uint64_t tick = clocks_.End(instance);
  for (const planpb::Access& access : instruction.accesses()) {
    if (IsShared(access) && access.mode() != planpb::Access::MODE_WRITE) {
      Read(instance, access, tick);
    }
  }
  for (const planpb::Access& access : instruction.accesses()) {
    if (IsShared(access) && access.mode() != planpb::Access::MODE_READ) {
      Write(instance, access, known, tick);
    }
  }
  ++position_;
  return absl::OkStatus();
}

// Whether all uses of `earlier` have finished, in every timing, when the gather
// of `later` begins.
bool EndsInEveryTiming(const GatheredSegment& earlier,
                       const GatheredSegment& later) {
  for (size_t stream = 0; stream < kMaxStreams; ++stream) {
    if (earlier.ends[stream] > later.known_at_gather[stream]) {
      return false;
    }
  }
  return true;
}

bool EndsInProgramOrder(const GatheredSegment& earlier,
                        const GatheredSegment& later) {
  return earlier.last < later.first;
}

void KeepLonger(std::vector<std::string> buckets,
                std::vector<std::string>& longest) {
  if (buckets.size() > longest.size()) {
    longest = std::move(buckets);
  }
}

// What is alive at once somewhere is alive when the last of it, in program
// order, is gathered: of the others, no last use comes before that.
template <typename EndsBefore>
std::vector<std::string> MostAlive(const std::vector<GatheredSegment>& segments,
                                   EndsBefore&& ends_before) {
  std::vector<std::string> most;
  std::vector<const GatheredSegment*> alive;
  for (const GatheredSegment& later : segments) {
    alive.clear();
    for (const GatheredSegment* earlier = segments.data(); earlier != &later;
         ++earlier) {
      if (!ends_before(*earlier, later)) {
        alive.push_back(earlier);
      }
    }
    alive.push_back(&later);
    KeepLonger(GatheredBuckets(alive), most);
  }
  return most;
}

uint64_t LargestBytes(const std::vector<GatheredSegment>& segments) {
  std::map<std::string, std::map<uint32_t, uint64_t>> buckets;
  uint64_t largest = 0;
  for (const GatheredSegment& segment : segments) {
    auto& parts = buckets[segment.bucket];
    uint64_t& bytes = parts[segment.segment_plus_one];
    bytes = std::max(bytes, segment.bytes);
    uint64_t sum = 0;
    for (const auto& [part, part_bytes] : parts) {
      sum += part_bytes;
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

absl::StatusOr<std::vector<GatheredSegment>> FindGatheredSegments(
    const PlanView& plan, const FunctionView& function,
    const MemoryLayout& layout, uint64_t repetitions) {
  Replay replay(plan, function, layout, repetitions);
  RETURN_IF_ERROR(function.Walk(
      repetitions,
      [&replay](const Instance& instance) { return replay.Step(instance); }));
  return replay.Take();
}

std::vector<std::string> GatheredBuckets(
    absl::Span<const GatheredSegment* const> alive) {
  std::map<std::pair<std::string, uint32_t>, int> segments;
  std::map<std::string, int> copies;
  for (const GatheredSegment* segment : alive) {
    int& bucket = copies[segment->bucket];
    bucket = std::max(bucket,
                      ++segments[{segment->bucket, segment->segment_plus_one}]);
  }
  std::vector<std::string> buckets;
  for (const auto& [bucket, count] : copies) {
    buckets.insert(buckets.end(), count, bucket);
  }
  return buckets;
}

absl::StatusOr<GatheredPeak> FindGatheredPeak(const PlanView& plan,
                                              const FunctionView& function,
                                              const MemoryLayout& layout) {
  GatheredPeak peak;
  for (const uint64_t repetitions :
       {uint64_t{1}, uint64_t{2}, UnrolledIterations(plan, function)}) {
    ASSIGN_OR_RETURN(const std::vector<GatheredSegment> segments,
                     FindGatheredSegments(plan, function, layout, repetitions));
    KeepLonger(MostAlive(segments, EndsInProgramOrder), peak.in_program_order);
    KeepLonger(MostAlive(segments, EndsInEveryTiming), peak.in_any_timing);
    peak.largest_bytes = std::max(peak.largest_bytes, LargestBytes(segments));
  }
  return peak;
}

}  // namespace accel::runtime
