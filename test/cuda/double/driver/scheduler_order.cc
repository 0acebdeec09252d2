// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the streams that are ready comes next.
#include <algorithm>
#include <iterator>

#include "test/cuda/double/driver/scheduler.h"

namespace accel::cuda_double {
namespace {

constexpr int kOrders = 6;
// However cruel the order, a stream's turn comes.
constexpr uint64_t kMaxPassedOver = 4096;

uint64_t SequenceOf(const Stream* stream) {
  return stream->pending.front()->sequence;
}

}  // namespace

uint64_t Scheduler::Random() {
  // SplitMix64.
  uint64_t z = random_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Stream* Scheduler::ChooseStarving(const std::vector<Stream*>& ready) {
  if (ready.size() == 1) {
    // The victim had to go on, or there was no choice: draw another one.
    if (ready[0]->agent == victim_ || victim_ == SIZE_MAX) {
      victim_ = Random() % agents_;
    }
    return ready[0];
  }
  std::vector<Stream*> others;
  std::copy_if(ready.begin(), ready.end(), std::back_inserter(others),
               [this](const Stream* s) { return s->agent != victim_; });
  return others[Random() % others.size()];
}

Stream* Scheduler::Choose(const std::vector<Stream*>& ready) {
  for (Stream* stream : ready) {
    if (++stream->passed_over > kMaxPassedOver) {
      return stream;
    }
  }
  const auto by_sequence = [](const Stream* a, const Stream* b) {
    return SequenceOf(a) < SequenceOf(b);
  };
  switch (configuration_.seed % kOrders) {
    case 0:
      return *std::min_element(ready.begin(), ready.end(), by_sequence);
    case 1: {
      const auto next = std::find_if(
          ready.begin(), ready.end(),
          [this](const Stream* s) { return s->agent > last_agent_; });
      return next == ready.end() ? ready[0] : *next;
    }
    case 2:
      return ChooseStarving(ready);
    case 4:
      return *std::max_element(ready.begin(), ready.end(), by_sequence);
    case 5: {
      const auto same = std::find_if(
          ready.begin(), ready.end(),
          [this](const Stream* s) { return s->agent == last_agent_; });
      return same != ready.end() ? *same : ready[Random() % ready.size()];
    }
    default:
      return ready[Random() % ready.size()];
  }
}

}  // namespace accel::cuda_double
