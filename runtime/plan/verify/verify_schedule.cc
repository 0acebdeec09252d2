// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks over streams: program order is replayed, every instruction gets
// the clock that streams and events guarantee, and each byte remembers its last
// write and the reads since.
#include "runtime/plan/verify/verify_schedule.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/verify/interval_map.h"
#include "runtime/plan/verify/stream_clocks.h"

namespace accel::runtime {
namespace {

// An access in the past. Tick 0: none.
struct Event {
  uint64_t tick = 0;  // of its stream
  const planpb::Instruction* instruction = nullptr;
  uint32_t buffer = 0;
};

// What last happened to a byte.
struct History {
  Event write;
  uint32_t write_stream = 0;
  std::array<Event, kMaxStreams> reads;  // since the write, per stream
};

class ScheduleChecker {
 public:
  ScheduleChecker(const PlanView& plan, const FunctionView& function,
                  const MemoryLayout& layout, uint64_t repetitions)
      : plan_(plan),
        function_(function),
        layout_(layout),
        repetitions_(repetitions),
        clocks_(plan, function, repetitions) {}

  absl::Status Run() {
    return function_.Walk(repetitions_, [this](const Instance& instance) {
      return Step(instance);
    });
  }

 private:
  absl::Status Step(const Instance& instance);
  absl::Status CheckAccess(const Instance& instance,
                           const planpb::Access& access,
                           const StreamClock& known);
  void Record(const Instance& instance, const planpb::Access& access,
              uint64_t tick);
  // What an access is ordered by: its bytes, or all of a buffer that ranks
  // share. Into such a buffer a bucket is gathered, which must not begin while
  // any part of the one before it is in use.
  ByteRange RangeOf(const planpb::Access& access, uint64_t iteration) const {
    const planpb::Buffer& buffer = plan_.buffer(access.buffer());
    return buffer.space() == planpb::SPACE_SHARED
               ? layout_.RangeOf(access.buffer(), 0)
               : layout_.RangeOf(access, iteration);
  }
  absl::Status Unordered(const Event& earlier, uint32_t stream,
                         const Instance& later, uint32_t buffer) const;

  const PlanView& plan_;
  const FunctionView& function_;
  const MemoryLayout& layout_;
  const uint64_t repetitions_;
  StreamClocks clocks_;
  std::array<IntervalMap<History>, kSpaces> bytes_;
};

absl::Status ScheduleChecker::Step(const Instance& instance) {
  RETURN_IF_ERROR(clocks_.Begin(instance));
  const planpb::Instruction& instruction = *instance.instruction;
  for (const planpb::Access& access : instruction.accesses()) {
    RETURN_IF_ERROR(
        CheckAccess(instance, access, clocks_.Known(instruction.stream())));
  }
  const uint64_t tick = clocks_.End(instance);
  for (const planpb::Access& access : instruction.accesses()) {
    Record(instance, access, tick);
  }
  return absl::OkStatus();
}

absl::Status ScheduleChecker::CheckAccess(const Instance& instance,
                                          const planpb::Access& access,
                                          const StreamClock& known) {
  const ByteRange range = RangeOf(access, instance.iteration);
  const bool writes = access.mode() != planpb::Access::MODE_READ;
  absl::Status result;
  bytes_[range.space - 1].ForEach(
      range.begin, range.end, [&](const History& history) {
        if (history.write.tick > known[history.write_stream]) {
          result = Unordered(history.write, history.write_stream, instance,
                             access.buffer());
        }
        for (uint32_t stream = 0; writes && stream < kMaxStreams; ++stream) {
          if (result.ok() && history.reads[stream].tick > known[stream]) {
            result = Unordered(history.reads[stream], stream, instance,
                               access.buffer());
          }
        }
        return result.ok();
      });
  return result;
}

void ScheduleChecker::Record(const Instance& instance,
                             const planpb::Access& access, uint64_t tick) {
  const ByteRange range = RangeOf(access, instance.iteration);
  const uint32_t stream = instance.instruction->stream();
  const Event event{tick, instance.instruction, access.buffer()};
  auto& bytes = bytes_[range.space - 1];
  if (access.mode() == planpb::Access::MODE_READ) {
    bytes.Update(range.begin, range.end,
                 [&](History& history) { history.reads[stream] = event; });
    return;
  }
  History history;
  history.write = event;
  history.write_stream = stream;
  bytes.Assign(range.begin, range.end, history);
}

absl::Status ScheduleChecker::Unordered(const Event& earlier, uint32_t stream,
                                        const Instance& later,
                                        uint32_t buffer) const {
  std::string buffers =
      absl::StrCat("buffer '", plan_.buffer(earlier.buffer).name(), "'");
  if (earlier.buffer != buffer) {
    absl::StrAppend(&buffers, " and buffer '", plan_.buffer(buffer).name(),
                    "', which share bytes");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "nothing orders ", plan_.Describe(function_, *earlier.instruction),
      " before ", plan_.Describe(function_, *later.instruction),
      ", though both touch ", buffers, " (stream '",
      plan_.manifest().streams(static_cast<int>(stream)).name(),
      "' and stream '",
      plan_.manifest()
          .streams(static_cast<int>(later.instruction->stream()))
          .name(),
      "'): an event between them is missing"));
}

}  // namespace

absl::Status VerifySchedule(const PlanView& plan, const FunctionView& function,
                            const MemoryLayout& layout) {
  // One and two repetitions have ends that longer ones do not have.
  for (const uint64_t repetitions :
       {uint64_t{1}, uint64_t{2}, UnrolledIterations(plan, function)}) {
    RETURN_IF_ERROR(ScheduleChecker(plan, function, layout, repetitions).Run());
  }
  return absl::OkStatus();
}

absl::Status VerifySchedule(const PlanView& plan, const MemoryLayout& layout) {
  for (const FunctionView& function : plan.functions()) {
    RETURN_IF_ERROR(VerifySchedule(plan, function, layout));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
