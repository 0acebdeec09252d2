// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs under one monitor.
#include "runtime/base/worker_threads.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// An idle worker wakes up this often to wait again: no wait is without
// deadline.
constexpr std::chrono::hours kIdle(1);

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerThreads>> WorkerThreads::Create(
    int count, absl::string_view what) {
  // Its destructor ends those that were started.
  std::unique_ptr<WorkerThreads> workers(new WorkerThreads());
  workers->threads_.reserve(count);
  for (int worker = 0; worker < count; ++worker) {
    ASSIGN_OR_RETURN(
        std::thread thread,
        StartThread(
            absl::StrCat("thread ", worker + 1, " of ", count, " of ", what),
            [w = workers.get(), worker] { w->Serve(worker); }));
    workers->threads_.push_back(std::move(thread));
  }
  return workers;
}

WorkerThreads::~WorkerThreads() {
  control_.Update([this] { stop_ = true; });
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerThreads::Start(int count, Job job) {
  control_.Update([&] {
    job_.emplace(job);
    ++job_number_;
    job_workers_ = count;
    running_ = count;
  });
}

absl::Status WorkerThreads::WaitUntilDone(
    const Deadline& deadline, absl::FunctionRef<std::string()> owner) {
  return WaitUntil(deadline, owner, control_, [this] { return running_ == 0; });
}

void WorkerThreads::Serve(int worker) {
  uint64_t seen = 0;
  while (true) {
    std::optional<Job> job;
    bool stop = false;
    const absl::Status work =
        WaitUntil(Deadline::After(kIdle), "work for a thread", control_, [&] {
          stop = stop_;
          if (stop || job_number_ == seen) {
            return stop;
          }
          seen = job_number_;
          if (worker < job_workers_) {
            job.emplace(*job_);
          }
          return true;
        });
    if (stop) {
      return;
    }
    if (!work.ok() || !job) {
      continue;  // an hour without work, or a job of others
    }
    (*job)(worker);
    control_.Update([this] { --running_; });
  }
}

}  // namespace accel::runtime
