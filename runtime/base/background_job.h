// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that a thread of its own does while its owner goes on.
#ifndef ACCEL_RUNTIME_BASE_BACKGROUND_JOB_H_
#define ACCEL_RUNTIME_BASE_BACKGROUND_JOB_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// Threads: one owner's; what the work is given is for the work's thread.
class BackgroundJob {
 public:
  // What the work tells and is told.
  class Control {
   public:
    void NoteProgress() { progress_.fetch_add(1, std::memory_order_relaxed); }
    // Nobody waits for the work any more: it is to end.
    bool IsGivenUp() const { return given_up_.load(std::memory_order_relaxed); }

   private:
    friend class BackgroundJob;
    std::atomic<uint64_t> progress_{0};
    std::atomic<bool> given_up_{false};
  };
  using Work = std::function<absl::Status(Control& control)>;

  // `what` is waited for, in messages: "the files of a checkpoint". The work
  // owns what it touches: if it does not come back from a disk, it lives longer
  // than the job. ResourceExhausted if there can be no thread.
  static absl::StatusOr<std::unique_ptr<BackgroundJob>> Start(std::string what,
                                                              Work work);
  // Gives the work up, and waits a moment for it to end.
  ~BackgroundJob();
  BackgroundJob(const BackgroundJob&) = delete;
  BackgroundJob& operator=(const BackgroundJob&) = delete;

  bool IsDone() const;
  // What the work returned. Requires: it is done.
  absl::Status status() const;
  // OK once it is done; DeadlineExceeded if it did not get on for `patience`.
  // `on_progress` is called by this thread while it does.
  absl::Status WaitUntilDone(std::chrono::nanoseconds patience,
                             absl::FunctionRef<void()> on_progress) const;

 private:
  struct State;

  BackgroundJob(std::string what, std::shared_ptr<State> state)
      : what_(std::move(what)), state_(std::move(state)) {}

  const std::string what_;
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_BACKGROUND_JOB_H_
