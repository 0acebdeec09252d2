// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's communicator, from joining to its end.
//
// States of a rank, as ncclCommGetAsyncError tells them:
//   - it joins: ncclInProgress until all ranks have joined;
//   - a launch is delayed, if the communicator is not blocking: ncclInProgress
//     until a later poll enqueues it;
//   - it finalises: ncclInProgress until its work is done and, if it is not
//     blocking, all ranks finalise;
//   - it has failed: that error from then on.
// Polls do the work of the thread that NCCL has in the background.
//
// Threads: all of it may be used from every thread. Its lock is taken by the
// functions of a work, which run under the lock of the double of the driver, so
// that no code calls the driver while it holds it.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATOR_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "test/cuda/double/driver/inspect.h"
#include "test/cuda/double/nccl/collective.h"
#include "test/cuda/double/nccl/segment.h"

namespace accel::cuda_double::nccl {

// Collectives that are one operation of a stream.
struct Launch {
  std::vector<Collective> group;
  cuda::StreamHandle stream = nullptr;
  // Of the stream at the call.
  StreamState state;
  // No other operation of the same call is on the stream.
  bool is_alone = true;
};

class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  struct Options {
    Rank rank;
    int gpu = 0;
    bool is_blocking = true;
  };

  // Takes the rank's place in the segment. Null, and the result and the text of
  // a misuse, if somebody has that place or counts the ranks otherwise.
  static std::shared_ptr<Communicator> Join(std::shared_ptr<Segment> segment,
                                            const Options& options,
                                            cuda::NcclResult* result);

  const Rank& rank() const { return options_.rank; }
  int gpu() const { return options_.gpu; }
  bool is_blocking() const { return options_.is_blocking; }
  Segment& segment() { return *segment_; }
  bool is_aborted() const { return is_aborted_; }
  // "rank 1 of 4"
  std::string name() const;

  // The state, after some progress.
  cuda::NcclResult Poll();
  // Polls until the state is another one than ncclInProgress.
  cuda::NcclResult Wait();
  // Whether a call may use the communicator now; `what` is that call.
  cuda::NcclResult CheckReady(const std::string& what);
  // Enqueues at once or, if the communicator is not blocking, perhaps later.
  cuda::NcclResult Start(Launch launch);

  cuda::NcclResult Finalise();
  // Finalises unless that is done, and waits for the other processes.
  cuda::NcclResult Destroy();
  void Abort();

  // --- what its works call ---
  // Makes an error of the rank's own, which never ends.
  void Break(cuda::NcclResult error);
  // The position of the next operation, which has so many collectives; 0 if the
  // environment wants it to hang.
  uint64_t BeginOperation(size_t collectives);
  bool AllHaveBegun(uint64_t position);
  bool is_destroyed() const { return stage_ == Stage::kDestroyed; }

  // Works that exist, and those of them that graphs hold.
  std::atomic<int> works{0};
  std::atomic<int> captured_works{0};

 private:
  enum class Stage { kJoining, kReady, kFinalising, kFinalised, kDestroyed };

  Communicator(std::shared_ptr<Segment> segment, const Options& options)
      : segment_(std::move(segment)), options_(options) {}

  Member& own() const { return segment_->header().members[options_.rank.rank]; }
  template <typename Predicate>
  bool AllMembers(Predicate predicate) const;
  bool IsLate();
  cuda::NcclResult CheckMembers() const;
  cuda::NcclResult PollLaunch();
  cuda::NcclResult PollJoining();
  cuda::NcclResult PollFinalising();

  const std::shared_ptr<Segment> segment_;
  const Options options_;
  std::atomic<bool> is_aborted_{false};
  std::atomic<Stage> stage_{Stage::kJoining};
  std::atomic<cuda::NcclResult> error_{cuda::kNcclSuccess};
  std::mutex lock_;
  std::optional<Launch> delayed_;
  bool is_launching_ = false;  // A poll of some thread enqueues it.
  uint64_t delays_ = 0;        // how often something was delayed
  uint64_t polls_left_ = 0;
  uint64_t position_ = 0;
  uint64_t collectives_ = 0;
};

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_COMMUNICATOR_H_
