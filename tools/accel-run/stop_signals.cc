// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers, and the numbers that they leave.
#include "tools/accel-run/stop_signals.h"

#include <signal.h>

#include <atomic>
#include <chrono>

namespace accel::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSameRequest(500);

// A handler may touch them, as they are free of locks.
std::atomic<int> first_signal = 0;
std::atomic<int> last_signal = 0;
std::atomic<Clock::rep> first_time = 0;
std::atomic<SecondSignal> second_signal = SecondSignal::kEnds;
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<Clock::rep>::is_always_lock_free &&
              std::atomic<SecondSignal>::is_always_lock_free);

bool IsSameRequest() {
  const Clock::duration since_first =
      Clock::now().time_since_epoch() - Clock::duration(first_time.load());
  return since_first < kSameRequest;
}

void EndBy(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  // Delivered when this handler returns.
  raise(signal);
}

void NoteSignal(int signal) {
  if (signal == SIGTSTP) {
    last_signal = signal;
    return;
  }
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) {
    first_time = Clock::now().time_since_epoch().count();
    last_signal = signal;
  } else if (IsSameRequest()) {
    return;
  } else if (second_signal == SecondSignal::kEnds) {
    EndBy(signal);
  } else if (second_signal == SecondSignal::kIsTaken) {
    last_signal = signal;
  }
}

void Handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = NoteSignal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void TakeStopSignals(SecondSignal second) {
  second_signal = second;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    Handle(signal);
  }
  // Who has started this with nohup wants it to go on.
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) {
    Handle(SIGHUP);
  }
  if (second == SecondSignal::kIsTaken) {
    Handle(SIGTSTP);
  }
}

int StopSignal() { return first_signal; }

int TakeSignal() { return last_signal.exchange(0); }

}  // namespace accel::tools
