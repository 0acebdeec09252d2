// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This process as one rank of several on this host: the rendezvous, the
// communicator that comes out of it, and the watch over the others.
#ifndef ACCEL_RUNTIME_LAUNCH_RANK_GROUP_H_
#define ACCEL_RUNTIME_LAUNCH_RANK_GROUP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/launch/peer_monitor.h"
#include "runtime/launch/progress_board.h"
#include "runtime/launch/rank_facts.h"
#include "runtime/launch/rendezvous.h"

namespace accel::runtime {

// Threads: one thread at a time, and the communicator idle, but for
// NoteInstruction, which any stream may call.
class RankGroup {
 public:
  // Waits for all ranks.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<RankGroup>> Join(
      Vfs& vfs, const RendezvousOptions& options);
  ~RankGroup();

  uint32_t rank() const { return communicator_->rank(); }
  uint32_t ranks() const { return communicator_->ranks(); }
  Communicator& communicator() const { return *communicator_; }

  // FailedPrecondition, the same on all ranks, if their facts differ.
  absl::Status Compare(const RankFacts& facts);
  // The largest of the ranks' signals, the same on all of them: a rank that was
  // asked to stop stops all at the same step.
  absl::StatusOr<int64_t> AgreeOnStop(int64_t signal);
  // All ranks have come to the end of what they do together; from now on no
  // death ends anybody.
  absl::Status Finish();

  // After a failure: whether all lower ranks have died, so that this one is to
  // say what nobody else can.
  bool SpeaksForTheDead();

  // What this rank does, for the others to say when it is dead.
  void Begin(uint32_t function, int64_t step);
  void NoteInstruction(uint32_t stream, uint32_t instruction);
  // Leaves the peak memory of this rank's process for the others, and returns
  // the largest that any of them has left so far.
  uint64_t WorstPeak(uint64_t own_bytes);
  // How the plan's functions and instructions read: "in step 4", "instruction
  // 12 of 'step' (...)". Until they are set they are numbers.
  struct Words {
    std::function<std::string(uint32_t function, int64_t step)> function;
    std::function<std::string(uint32_t function, uint32_t instruction)>
        instruction;
  };
  void SetWords(Words words);

 private:
  explicit RankGroup(ProgressBoard board) : board_(std::move(board)) {}

  std::string LastKnown(uint32_t rank) const;

  ProgressBoard board_;
  mutable std::mutex mutex_;
  Words words_;  // guarded by mutex_
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<PeerMonitor> monitor_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RANK_GROUP_H_
