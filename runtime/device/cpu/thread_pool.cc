// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static contiguous splitting. A round is announced by a counter that the
// workers wait for; the last of them to finish it counts in another one.
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

class ThreadPool::Workers {
 public:
  using Work = absl::FunctionRef<void(int thread)>;

  // Called once.
  absl::Status Start(int count) {
    threads_.reserve(count);
    for (int worker = 1; worker <= count; ++worker) {
      ASSIGN_OR_RETURN(
          std::thread thread,
          StartThread(absl::StrCat("thread ", worker + 1, " of ", count + 1,
                                   " of the compute stream"),
                      [this, worker] { Serve(worker); }));
      threads_.push_back(std::move(thread));
    }
    return absl::OkStatus();
  }

  ~Workers() {
    Announce(nullptr);
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  // Calls work(0) on this thread and work(1), work(2) ... on the others.
  void Run(Work work) {
    const uint32_t before = finished_.Load();
    running_.store(static_cast<int>(threads_.size()),
                   std::memory_order_relaxed);
    Announce(&work);
    work(0);
    waiter_.Wait(finished_, before);
  }

 private:
  void Announce(const Work* work) {
    work_ = work;
    announced_.Increment();
  }

  void Serve(int worker) {
    Waiter waiter;
    for (uint32_t round = 0;; ++round) {
      waiter.Wait(announced_, round);
      if (work_ == nullptr) {
        return;
      }
      (*work_)(worker);
      if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        finished_.Increment();
      }
    }
  }

  // Of the round under way, null at the end: written before it is announced.
  const Work* work_ = nullptr;
  Waiter waiter_;  // of whoever calls Run
  std::vector<std::thread> threads_;
  Counter announced_;  // rounds
  Counter finished_;   // rounds, by all workers
  alignas(kCacheLine) std::atomic<int> running_ = 0;
};

absl::StatusOr<ThreadPool> ThreadPool::Create(int threads) {
  ThreadPool pool;
  if (threads > 1) {
    pool.threads_ = threads;
    pool.workers_ = std::make_unique<Workers>();
    RETURN_IF_ERROR(pool.workers_->Start(threads - 1));
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
  workers_->Run([&](int thread) {
    const WorkRange part = PartOf(begin, end, grain, thread, threads_);
    if (part.begin < part.end) {
      work(thread, part.begin, part.end);
    }
  });
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
