// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block and of a warp: who has arrived, whether all who must have
// come, and what the threads know of each other afterwards.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/block.h"

namespace accel::ptx {
namespace {

// What is wrong with a wait in a warp for a thread that does not come.
std::string ExitMessage(const Instruction& wait, const Thread& exited) {
  const std::string name = NameOf(exited.tid);
  return wait.aligned
             ? absl::StrCat("all threads of the warp must come, and thread ",
                            name, " has exited")
             : absl::StrCat("the mask names thread ", name,
                            ", which has exited");
}

}  // namespace

// --- barriers of the block ---

bool Block::JoinBarrier(Thread& thread, const Instruction& where, uint32_t id,
                        uint32_t expected, Barrier** joined) {
  if (id >= kBarriers) {
    thread.Fault(absl::StrCat("there is no barrier ", id));
    return false;
  }
  if (expected % kWarpSize != 0 || expected > threads_.size()) {
    thread.Fault(absl::StrCat("a barrier of ", expected,
                              " threads: expected a "
                              "multiple of 32 and at most the block's ",
                              threads_.size()));
    return false;
  }
  Barrier& barrier = barriers_[id];
  const bool is_first = barrier.waiting.empty() && barrier.arrived.empty();
  if (!is_first && barrier.expected != expected) {
    thread.Fault(absl::StrCat("barrier ", id, " waits for ", barrier.expected,
                              " threads already, not for ", expected));
    return false;
  }
  barrier.expected = expected;
  thread.wait = &where;
  thread.barrier = id;
  *joined = &barrier;
  return true;
}

void Block::WaitAtBarrier(Thread& thread, const Instruction& where, uint32_t id,
                          uint32_t expected) {
  Barrier* barrier = nullptr;
  if (JoinBarrier(thread, where, id, expected, &barrier)) {
    thread.state = State::kAtBarrier;
    barrier->waiting.push_back(&thread);
    CompleteIfAllArrived(*barrier);
  }
}

void Block::ArriveAtBarrier(Thread& thread, const Instruction& where,
                            uint32_t id, uint32_t expected) {
  Barrier* barrier = nullptr;
  if (JoinBarrier(thread, where, id, expected, &barrier)) {
    barrier->arrived.push_back(&thread);
    Clock clock = *thread.seen;
    clock[thread.index] = thread.time;
    barrier->arrived_clocks.push_back(std::move(clock));
    ++thread.time;  // What follows is not part of what arrived.
    CompleteIfAllArrived(*barrier);
  }
}

void Block::CompleteIfAllArrived(Barrier& barrier) {
  const size_t here = barrier.waiting.size() + barrier.arrived.size();
  const size_t needed = barrier.expected == 0 ? alive_ : barrier.expected;
  if (here == 0 || here < needed || !status_.ok()) {
    return;
  }
  if (!CheckAligned(barrier)) {
    return;
  }
  Barrier done = std::move(barrier);
  barrier = {};
  SynchroniseClocks(done.waiting, done.arrived_clocks);
  uint32_t ones = 0;
  for (const Thread* thread : done.waiting) {
    const Instruction& wait = *thread->wait;
    ones += wait.c != kNone && GetPredicate(*thread, wait.c, wait.negated);
  }
  for (Thread* thread : done.waiting) {
    const Instruction& wait = *thread->wait;
    if (wait.d != kNone) {
      const bool all = ones == done.waiting.size();
      const bool any = ones > 0;
      thread->registers[wait.d] = wait.variant == 0   ? ones
                                  : wait.variant == 1 ? all
                                                      : any;
    }
    thread->state = State::kReady;
  }
  ++completed_barriers_;
}

// All threads of a warp must come to an aligned barrier, at one instruction.
bool Block::CheckAligned(const Barrier& barrier) {
  const size_t warps = (threads_.size() + kWarpSize - 1) / kWarpSize;
  std::vector<const Instruction*> places(warps, nullptr);
  std::vector<uint32_t> missing(warps, 0);
  for (const Thread* thread : barrier.waiting) {
    const Instruction*& place = places[thread->warp];
    place = place == nullptr ? thread->wait : place;
    --missing[thread->warp];
    if (thread->wait->aligned && place != thread->wait) {
      Fault(*thread, *thread->wait,
            absl::StrCat("divergent barrier: other threads of this warp wait "
                         "at line ",
                         place->line, ", and the barrier is aligned"));
      return false;
    }
  }
  for (const Thread& thread : threads_) {
    missing[thread.warp] += thread.state == State::kExited ? 0 : 1;
  }
  for (const Thread* thread : barrier.waiting) {
    if (thread->wait->aligned && missing[thread->warp] != 0) {
      Fault(*thread, *thread->wait,
            "divergent barrier: not all threads of this warp arrive, and the "
            "barrier is aligned");
      return false;
    }
  }
  return true;
}

void Block::SynchroniseClocks(absl::Span<Thread* const> threads,
                              absl::Span<const Clock> others) {
  auto joined = std::make_shared<Clock>(threads_.size(), 0);
  const Clock* last = nullptr;
  const auto join = [&joined](const Clock& clock) {
    for (size_t k = 0; k < clock.size(); ++k) {
      (*joined)[k] = std::max((*joined)[k], clock[k]);
    }
  };
  for (const Thread* thread : threads) {
    // After a barrier of the block all threads have the same clock.
    if (thread->seen.get() != last) {
      last = thread->seen.get();
      join(*last);
    }
  }
  for (const Clock& clock : others) {
    join(clock);
  }
  for (const Thread* thread : threads) {
    (*joined)[thread->index] = thread->time;
  }
  for (Thread* thread : threads) {
    thread->seen = joined;
    if (++thread->time >= kMaxTime) {
      Fault(*thread, *thread->wait, "more barriers than the check can count");
    }
  }
}

void Block::Exit(Thread& thread) {
  thread.state = State::kExited;
  --alive_;
  for (uint32_t laneid = 0; laneid < kWarpSize; ++laneid) {
    const Thread* other = ThreadOfWarp(thread.warp, laneid);
    if (other != nullptr && other->state == State::kAtWarpBarrier &&
        (other->wait_mask >> thread.laneid & 1) != 0) {
      Fault(*other, *other->wait, ExitMessage(*other->wait, thread));
      return;
    }
  }
  for (Barrier& barrier : barriers_) {
    if (barrier.expected == 0) {
      CompleteIfAllArrived(barrier);
    }
  }
}

// --- the warp ---

Thread* Block::ThreadOfWarp(uint32_t warp, uint32_t laneid) {
  const size_t index = size_t{warp} * kWarpSize + laneid;
  return index < threads_.size() ? &threads_[index] : nullptr;
}

void Block::WaitInWarp(Thread& thread, const Instruction& where,
                       uint32_t mask) {
  if ((mask >> thread.laneid & 1) == 0) {
    thread.Fault(absl::StrCat("the mask 0x", absl::Hex(mask),
                              " does not name the thread itself"));
    return;
  }
  thread.wait = &where;
  thread.wait_mask = mask;
  thread.state = State::kAtWarpBarrier;
  CompleteWarp(thread);
}

// Whether all threads of the mask wait at the same operation with that mask.
bool Block::FindParticipants(Thread& thread,
                             std::vector<Thread*>& participants) {
  for (uint32_t laneid = 0; laneid < kWarpSize; ++laneid) {
    Thread* other = ThreadOfWarp(thread.warp, laneid);
    // A full mask of a warp that is cut short by the block's end is usual.
    if ((thread.wait_mask >> laneid & 1) == 0 || other == nullptr) {
      continue;
    }
    if (other->state == State::kExited) {
      thread.Fault(ExitMessage(*thread.wait, *other));
      return false;
    }
    const bool same = other->state == State::kAtWarpBarrier &&
                      other->wait_mask == thread.wait_mask &&
                      other->wait->execute == thread.wait->execute &&
                      other->wait->warp == thread.wait->warp;
    if (!same) {
      return false;
    }
    participants.push_back(other);
  }
  return true;
}

void Block::CompleteWarp(Thread& thread) {
  std::vector<Thread*> participants;
  if (!FindParticipants(thread, participants)) {
    return;
  }
  if (thread.wait->warp == WarpOperation::kBarrier) {
    SynchroniseClocks(participants, {});
  } else if (!DoTogether(*this, participants)) {
    return;
  }
  for (Thread* participant : participants) {
    participant->state = State::kReady;
  }
}

}  // namespace accel::ptx
