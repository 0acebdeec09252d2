// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread and its owner share the state, so that either may be the last.
#include "runtime/base/background_job.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/format.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Of an owner that goes away.
constexpr std::chrono::seconds kLastPatience(1);
// So often who waits looks whether the work gets on.
constexpr std::chrono::milliseconds kLook(50);

}  // namespace

struct BackgroundJob::State {
  Control control;
  mutable Monitor monitor;
  std::optional<absl::Status> result;  // guarded by monitor
};

absl::StatusOr<std::unique_ptr<BackgroundJob>> BackgroundJob::Start(
    std::string what, Work work) {
  auto state = std::make_shared<State>();
  std::unique_ptr<BackgroundJob> job(new BackgroundJob(what, state));
  ASSIGN_OR_RETURN(
      job->thread_, StartThread(what, [state, work = std::move(work)] {
        absl::Status result = work(state->control);
        state->monitor.Update([&] { state->result = std::move(result); });
      }));
  return job;
}

BackgroundJob::~BackgroundJob() {
  if (!thread_.joinable()) {
    return;
  }
  state_->control.given_up_ = true;
  if (WaitUntilDone(kLastPatience, [] {}).ok()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

bool BackgroundJob::IsDone() const {
  bool done = false;
  state_->monitor.Update([&] { done = state_->result.has_value(); });
  return done;
}

absl::Status BackgroundJob::status() const {
  absl::Status status;
  state_->monitor.Update([&] { status = *state_->result; });
  return status;
}

absl::Status BackgroundJob::WaitUntilDone(
    std::chrono::nanoseconds patience,
    absl::FunctionRef<void()> on_progress) const {
  const auto progress = [&] { return state_->control.progress_.load(); };
  uint64_t seen = progress();
  // In looks, so that time in which this process was stopped does not count.
  std::chrono::nanoseconds still{0};
  while (true) {
    const absl::Status done =
        WaitUntil(Deadline::After(kLook), what_, state_->monitor,
                  [&] { return state_->result.has_value(); });
    if (done.ok()) {
      return done;
    }
    still += kLook;
    if (const uint64_t now = progress(); now != seen) {
      seen = now;
      still = std::chrono::nanoseconds(0);
      on_progress();
    } else if (still >= patience) {
      return absl::DeadlineExceededError(
          absl::StrCat("waited ", FormatDuration(patience), " for ", what_));
    }
  }
}

}  // namespace accel::runtime
