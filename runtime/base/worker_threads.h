// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that live as long as their owner and take one job after the other,
// each job on several of them at the same time.
#ifndef ACCEL_RUNTIME_BASE_WORKER_THREADS_H_
#define ACCEL_RUNTIME_BASE_WORKER_THREADS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/deadline.h"

namespace accel::runtime {

// Threads: Start and WaitUntilDone by one thread at a time, which is none of
// the workers.
class WorkerThreads {
 public:
  using Job = absl::FunctionRef<void(int worker)>;

  // Starts them. ResourceExhausted if one of them cannot be; `what` are they:
  // "the ranks".
  static absl::StatusOr<std::unique_ptr<WorkerThreads>> Create(
      int count, absl::string_view what);
  // Waits for the job under way.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  // Whether the calling thread is `worker`.
  bool IsWorker(int worker) const {
    return threads_[worker].get_id() == std::this_thread::get_id();
  }

  // Begins `job` on workers [0, count).
  // Borrows: what the job refers to, until it is done.
  // Requires: no job is under way.
  void Start(int count, Job job);
  // OK once no job is under way. Otherwise DeadlineExceeded, and the job goes
  // on.
  absl::Status WaitUntilDone(const Deadline& deadline,
                             absl::FunctionRef<std::string()> owner);

 private:
  WorkerThreads() = default;
  void Serve(int worker);

  // Never fails: what goes wrong in a job is the job's business.
  Monitor control_;
  std::optional<Job> job_;   // guarded by control_
  uint64_t job_number_ = 0;  // guarded by control_
  int job_workers_ = 0;      // guarded by control_
  int running_ = 0;          // guarded by control_: workers not yet done
  bool stop_ = false;        // guarded by control_
  std::vector<std::thread> threads_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_WORKER_THREADS_H_
