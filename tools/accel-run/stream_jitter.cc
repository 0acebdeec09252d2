// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pauses drawn from the counter-based generator, one sequence per thread.
#include "tools/accel-run/stream_jitter.h"

#include <atomic>
#include <chrono>
#include <memory>

#include "runtime/base/deadline.h"
#include "runtime/random/philox.h"

namespace accel::tools {
namespace {

// A site of its own, apart from those of data and training.
constexpr uint32_t kJitterSite = runtime::kFirstRuntimeSite + 64;
constexpr uint32_t kOneIn = 8;
constexpr uint32_t kLongestMicroseconds = 500;

// Streams of ranks are threads, and ranks may be threads of one process.
struct ThreadState {
  uint64_t instructions = 0;
  runtime::Monitor monitor;
};

}  // namespace

std::function<void(const planpb::Instruction&)> MakeStreamJitter(
    uint64_t seed) {
  const auto threads = std::make_shared<std::atomic<uint64_t>>(0);
  return [threads, seed](const planpb::Instruction&) {
    thread_local ThreadState state;
    thread_local const uint64_t number = threads->fetch_add(1);
    const uint32_t word =
        runtime::RandomWord(seed, kJitterSite, number, state.instructions++);
    if (word % kOneIn != 0) {
      return;
    }
    const auto pause = std::chrono::microseconds(
        runtime::ScaleBelow(word, kLongestMicroseconds));
    // Nothing ever becomes ready: the deadline is the pause.
    runtime::WaitUntil(runtime::Deadline::After(pause), "a random pause",
                       state.monitor, [] { return false; })
        .IgnoreError();
  };
}

}  // namespace accel::tools
