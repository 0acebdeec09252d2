// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread has a share of the range, of which it takes chunks from the
// front. A thread without a share left takes chunks of the others' from the
// back. What is left of a share is one atomic word, and whoever has taken a
// chunk keeps the call under way: so a worker that comes late touches no call
// that has ended.
#include "runtime/device/cpu/thread_pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// As long as waking a thread takes at least.
constexpr auto kSpinning = std::chrono::microseconds(20);
// No instruction's parts differ by more, on a machine of its own.
constexpr auto kYielding = std::chrono::milliseconds(5);
// A core that came back so late was somebody else's meanwhile, for a time
// slice. What this process's other threads do in between is shorter.
constexpr auto kSlowYield = std::chrono::microseconds(200);
// Waits for which somebody else is then taken to want the core still.
constexpr int kSleepyWaits = 16;
constexpr int kPauses = 16;  // between two looks at the clock
// A caller that waited so long for others' chunks waited for a thread that had
// lost its core: on a machine of their own, threads finish together.
constexpr auto kLongWait = std::chrono::microseconds(300);
// Calls that are then handed out in small chunks.
constexpr int kSharedCalls = 16;
// A share is then taken by halves, down to so many equal parts of it: kernels
// of products pack their left matrix once per chunk.
constexpr int64_t kChunksOfShare = 8;
// A share's bounds are two halves of a word, with room to spare.
constexpr int64_t kMostPieces = int64_t{1} << 30;
constexpr size_t kCacheLine = 64;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));  // futex

}  // namespace

WorkRange PartOf(int64_t begin, int64_t end, int64_t grain, int part,
                 int parts) {
  if (end <= begin) {
    return {begin, begin};
  }
  const int64_t size = end - begin;
  const int64_t grains = size / grain + (size % grain != 0 ? 1 : 0);
  const int64_t each = grains / parts;
  const int64_t more = grains % parts;
  const int64_t first = part * each + std::min<int64_t>(part, more);
  const int64_t count = each + (part < more ? 1 : 0);
  if (count == 0) {
    return {end, end};
  }
  const int64_t last = first + count;
  return {begin + first * grain, last == grains ? end : begin + last * grain};
}

// A counter that threads wait for. std::atomic's own wait yields some times in
// a row before it sleeps, which on a core that somebody else wants costs a time
// slice each.
class ThreadPool::Counter {
 public:
  uint32_t Load() const { return value_.load(std::memory_order_acquire); }

  void Increment() {
    value_.fetch_add(1);
    if (sleepers_.load() > 0) {
      syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
              0);
    }
  }

  // Sleeps until the value is not `old`.
  void Sleep(uint32_t old) {
    sleepers_.fetch_add(1);
    while (value_.load() == old) {
      // Returns at once if the value has changed since.
      syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
    }
    sleepers_.fetch_sub(1);
  }

 private:
  alignas(kCacheLine) std::atomic<uint32_t> value_ = 0;
  std::atomic<int> sleepers_ = 0;
};

// How one thread waits. Threads: one.
class ThreadPool::Waiter {
 public:
  // Returns once the counter is not `old`.
  void Wait(Counter& counter, uint32_t old) {
    const auto begin = Clock::now();
    do {
      for (int i = 0; i < kPauses; ++i) {
        if (counter.Load() != old) {
          return;
        }
        __builtin_ia32_pause();
      }
    } while (Clock::now() - begin < kSpinning);
    if (sleepy_waits_ > 0) {
      --sleepy_waits_;
    } else if (Yield(counter, old, begin)) {
      return;
    }
    counter.Sleep(old);
  }

 private:
  // Whether the counter changed while the core was offered.
  bool Yield(const Counter& counter, uint32_t old, Clock::time_point begin) {
    auto before = Clock::now();
    while (before - begin < kYielding && sleepy_waits_ == 0) {
      sched_yield();
      const auto after = Clock::now();
      if (after - before > kSlowYield) {
        sleepy_waits_ = kSleepyWaits;
      }
      before = after;
      if (counter.Load() != old) {
        return true;
      }
    }
    return false;
  }

  int sleepy_waits_ = 0;
};

// What is left of one thread's part of a call, in pieces. Every change is one
// of the word, so nobody can take what another one has taken. Threads: any.
class ThreadPool::Share {
 public:
  // Requires: nothing is left. What was written before is seen by whoever takes
  // a part.
  void Set(const WorkRange& pieces, int64_t least) {
    least_.store(least, std::memory_order_relaxed);
    left_.store(Pack(pieces), std::memory_order_release);
  }

  // Half of what is left, but `least` if there is so much; empty if nothing is.
  WorkRange TakeFront() { return Take(/*front=*/true); }
  WorkRange TakeBack() { return Take(/*front=*/false); }

 private:
  static uint64_t Pack(const WorkRange& range) {
    return static_cast<uint64_t>(range.begin) << 32 |
           static_cast<uint64_t>(range.end);
  }

  WorkRange Take(bool front) {
    uint64_t word = left_.load(std::memory_order_acquire);
    while (true) {
      const auto begin = static_cast<int64_t>(word >> 32);
      const auto end = static_cast<int64_t>(word & UINT32_MAX);
      if (begin == end) {
        return {};
      }
      // The word may be of a later call than `least`: a size, and no more.
      const int64_t least = least_.load(std::memory_order_relaxed);
      const int64_t count =
          std::min(end - begin, std::max(least, (end - begin + 1) / 2));
      const int64_t cut = front ? begin + count : end - count;
      const WorkRange taken =
          front ? WorkRange{begin, cut} : WorkRange{cut, end};
      const WorkRange rest =
          front ? WorkRange{cut, end} : WorkRange{begin, cut};
      if (left_.compare_exchange_weak(word, Pack(rest),
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return taken;
      }
    }
  }

  alignas(kCacheLine) std::atomic<uint64_t> left_ = 0;
  std::atomic<int64_t> least_ = 1;
};

class ThreadPool::Workers {
 public:
  using Work = absl::FunctionRef<void(int thread, int64_t begin, int64_t end)>;

  explicit Workers(int threads) : shares_(threads) {}

  // Called once.
  absl::Status Start() {
    const int threads = static_cast<int>(shares_.size());
    threads_.reserve(threads - 1);
    for (int worker = 1; worker < threads; ++worker) {
      ASSIGN_OR_RETURN(
          std::thread thread,
          StartThread(absl::StrCat("thread ", worker + 1, " of ", threads,
                                   " of the compute stream"),
                      [this, worker] { Serve(worker); }));
      threads_.push_back(std::move(thread));
    }
    return absl::OkStatus();
  }

  ~Workers() {
    stop_.store(true, std::memory_order_relaxed);
    announced_.Increment();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  // Requires: end - begin > grain.
  void Run(int64_t begin, int64_t end, int64_t grain, Work work) {
    const int64_t grains = (end - begin - 1) / grain + 1;
    const int64_t grains_of_piece = (grains - 1) / kMostPieces + 1;
    call_ = {begin, end, grain * grains_of_piece,
             (grains - 1) / grains_of_piece + 1, &work};
    unfinished_.store(call_.pieces, std::memory_order_relaxed);
    const uint32_t before = finished_.Load();
    HandOut();
    announced_.Increment();
    if (Help(0)) {
      return;
    }
    const auto waiting = Clock::now();
    waiter_.Wait(finished_, before);
    if (Clock::now() - waiting > kLongWait) {
      shared_calls_ = kSharedCalls;
    }
  }

 private:
  // Written while nothing of it can be taken, read by who has taken a part.
  struct Call {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t piece = 1;   // whole grains, one but in huge ranges
    int64_t pieces = 0;  // the last may be shorter
    const Work* work = nullptr;
  };

  void HandOut() {
    const bool in_chunks = shared_calls_ > 0;
    shared_calls_ -= in_chunks ? 1 : 0;
    const int threads = static_cast<int>(shares_.size());
    for (int thread = 0; thread < threads; ++thread) {
      const WorkRange pieces = PartOf(0, call_.pieces, 1, thread, threads);
      const int64_t count = pieces.end - pieces.begin;
      const int64_t least = in_chunks ? count / kChunksOfShare + 1 : count;
      shares_[thread].Set(pieces, least);
    }
  }

  // Works until nothing is left to take. Whether this thread has finished the
  // call: it did the last part of it.
  bool Help(int thread) {
    const int threads = static_cast<int>(shares_.size());
    bool finished = false;
    for (int i = 0; i < threads && !finished; ++i) {
      Share& share = shares_[(thread + i) % threads];
      while (!finished) {
        const WorkRange taken = i == 0 ? share.TakeFront() : share.TakeBack();
        if (taken.begin == taken.end) {
          break;
        }
        finished = Execute(thread, taken);
      }
    }
    return finished;
  }

  // Whether these were the last pieces of the call. Behind this it may be over.
  bool Execute(int thread, const WorkRange& pieces) {
    const int64_t begin = call_.begin + pieces.begin * call_.piece;
    const int64_t end = pieces.end == call_.pieces
                            ? call_.end
                            : call_.begin + pieces.end * call_.piece;
    (*call_.work)(thread, begin, end);
    const int64_t count = pieces.end - pieces.begin;
    return unfinished_.fetch_sub(count, std::memory_order_acq_rel) == count;
  }

  void Serve(int worker) {
    Waiter waiter;
    uint32_t seen = 0;
    while (true) {
      waiter.Wait(announced_, seen);
      // Before it looks for work: what is announced later is looked for again.
      seen = announced_.Load();
      if (stop_.load(std::memory_order_relaxed)) {
        return;
      }
      if (Help(worker)) {
        finished_.Increment();
      }
    }
  }

  Call call_;
  std::vector<Share> shares_;  // per thread
  Waiter waiter_;              // of whoever calls Run
  int shared_calls_ = 0;       // still to be handed out in chunks
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_ = false;
  Counter announced_;  // calls, and the end
  Counter finished_;   // calls whose last pieces a worker did
  alignas(kCacheLine) std::atomic<int64_t> unfinished_ = 0;  // pieces
};

absl::StatusOr<ThreadPool> ThreadPool::Create(int threads) {
  ThreadPool pool;
  if (threads > 1) {
    pool.threads_ = threads;
    pool.workers_ = std::make_unique<Workers>(threads);
    RETURN_IF_ERROR(pool.workers_->Start());
  }
  return pool;
}

ThreadPool::ThreadPool() = default;
ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

void ThreadPool::ParallelFor(
    int64_t begin, int64_t end, int64_t grain,
    absl::FunctionRef<void(int, int64_t, int64_t)> work) const {
  if (end <= begin) {
    return;
  }
  if (workers_ == nullptr || end - begin <= grain) {
    work(0, begin, end);
    return;
  }
  workers_->Run(begin, end, grain, work);
}

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace accel::runtime
