// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pauses drawn from the counter-based generator, one stream per lane.
#include "tools/accel-run/lane_jitter.h"

#include <chrono>
#include <memory>
#include <vector>

#include "runtime/base/deadline.h"
#include "runtime/random/philox.h"

namespace accel::tools {
namespace {

// A site of its own, apart from those of data and training.
constexpr uint32_t kJitterSite = runtime::kFirstRuntimeSite + 64;
constexpr uint32_t kOneIn = 8;
constexpr uint32_t kLongestMicroseconds = 500;

struct Lanes {
  // Per lane and touched by its thread only, so apart from each other.
  struct alignas(64) Lane {
    uint64_t instructions = 0;
    runtime::Monitor monitor;
  };
  explicit Lanes(int count) : lanes(count) {}
  std::vector<Lane> lanes;
};

}  // namespace

std::function<void(const planpb::Instruction&)> MakeLaneJitter(uint64_t seed,
                                                               int lanes) {
  const auto state = std::make_shared<Lanes>(lanes);
  return [state, seed](const planpb::Instruction& instruction) {
    Lanes::Lane& lane = state->lanes[instruction.lane()];
    const uint32_t word = runtime::RandomWord(
        seed, kJitterSite, instruction.lane(), lane.instructions++);
    if (word % kOneIn != 0) {
      return;
    }
    const auto pause = std::chrono::microseconds(
        runtime::ScaleBelow(word, kLongestMicroseconds));
    // Nothing ever becomes ready: the deadline is the pause.
    runtime::WaitUntil(runtime::Deadline::After(pause), "a random pause",
                       lane.monitor, [] { return false; })
        .IgnoreError();
  };
}

}  // namespace accel::tools
