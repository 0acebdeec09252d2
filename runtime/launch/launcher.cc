// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pidfds, and signals to the ranks.
#include "runtime/launch/launcher.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/descriptor_wait.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/launch/rank_environment.h"
#include "runtime/launch/rank_process.h"

namespace accel::runtime {
namespace {

// The wait is repeated; nothing depends on its length.
constexpr std::chrono::minutes kRepeatLaunch(1);

// It was asked to stop and did, as a run alone does: the others follow.
bool HasStopped(const ProcessEnd& end) {
  return end.signal == 0 && end.exit_code > 128;
}

class Launch {
 public:
  explicit Launch(const LauncherOptions& options)
      : options_(options), ranks_(options.ranks) {}

  // Whatever happens, no child is left.
  ~Launch() {
    Signal(SIGKILL);
    while (!AllHaveEnded()) {
      Await();
    }
    for (const RankProcess& rank : ranks_) {
      if (rank.pid != 0) {
        ReapChild(rank.pid);
      }
    }
  }

  absl::StatusOr<LaunchEnd> Run() {
    for (uint32_t rank = 0; rank < options_.ranks; ++rank) {
      RETURN_IF_ERROR(Start(rank));
    }
    while (!AllHaveEnded()) {
      Await();
      PassSignalOn();
      KillStopped();
      PressTheRest();
    }
    return Conclude();
  }

 private:
  absl::Status Start(uint32_t rank) {
    RankEnvironment environment;
    environment.rank = rank;
    environment.ranks = options_.ranks;
    environment.run_id = absl::StrCat("launcher-", getpid());
    if (options_.restarts != 0) {
      // Nobody of an earlier launch is taken for one of this.
      absl::StrAppend(&environment.run_id, ".", options_.restarts);
    }
    environment.launcher = getpid();
    environment.restarts = options_.restarts;
    environment.resume = options_.resume;
    return StartRank(std::move(environment), options_.argv, ranks_[rank]);
  }

  bool AllHaveEnded() const {
    return std::all_of(ranks_.begin(), ranks_.end(),
                       [](const RankProcess& rank) { return !rank.IsAlive(); });
  }

  // Until a rank ends or there is something else to do.
  void Await() {
    std::vector<int> descriptors;
    for (const RankProcess& rank : ranks_) {
      if (!rank.end && rank.watch) {
        descriptors.push_back(rank.watch->descriptor());
      }
    }
    WaitUntil(
        Deadline::After(kRepeatLaunch), [] { return std::string("the ranks"); },
        descriptors,
        [&] {
          const bool news = Look();
          signal_ = signal_ == 0 ? options_.take_signal() : signal_;
          return news || signal_ != 0 ||
                 (press_at_ && (press_at_->Expired() || AnyIsStopped()));
        })
        .IgnoreError();
  }

  bool Look() {
    bool news = false;
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      RankProcess& child = ranks_[rank];
      if (!child.IsAlive()) {
        continue;
      }
      child.end = EndOfChild(child.pid);
      if (!child.end) {
        continue;
      }
      news = true;
      if (child.end->ShellStatus() != 0) {
        failed_.push_back(rank);
      }
      if (child.end->ShellStatus() != 0 && !HasStopped(*child.end) &&
          !press_at_) {
        press_at_ = Deadline::After(options_.ask_after);
      }
    }
    return news;
  }

  void PassSignalOn() {
    const int signal = std::exchange(signal_, 0);
    if (signal == SIGTSTP) {
      SuspendAll();
    } else if (signal != 0 && stop_signal_ == 0) {
      stop_signal_ = signal;
      Signal(signal);
    } else if (signal != 0) {
      kill_signal_ = signal;
      Signal(SIGKILL);
    }
  }

  // Returns when we are continued.
  void SuspendAll() {
    const auto before = Deadline::Clock::now();
    Signal(SIGSTOP);
    raise(SIGSTOP);
    Signal(SIGCONT);
    if (press_at_) {
      press_at_->Postpone(Deadline::Clock::now() - before);
    }
  }

  bool AnyIsStopped() const {
    return std::any_of(
        ranks_.begin(), ranks_.end(),
        [](const RankProcess& rank) { return rank.IsStopped(); });
  }

  // After a failure. It can neither notice that nor do what it is asked.
  void KillStopped() {
    if (!press_at_) {
      return;
    }
    for (RankProcess& rank : ranks_) {
      if (rank.IsStopped()) {
        rank.asked = true;
        kill(rank.pid, SIGKILL);
      }
    }
  }

  // Ranks notice each other's failures; those that do not are hanging.
  void PressTheRest() {
    if (!press_at_ || !press_at_->Expired()) {
      return;
    }
    const bool spares = !options_.spares_nobody(*ranks_[Culprit()].end);
    for (RankProcess& rank : ranks_) {
      rank.asked |= !rank.end;
    }
    Signal(asked_ || !spares ? SIGKILL : SIGTERM);
    asked_ = true;
    press_at_ = Deadline::After(options_.kill_after - options_.ask_after);
  }

  void Signal(int signal) {
    for (const RankProcess& rank : ranks_) {
      if (rank.IsAlive()) {
        // Not reaped yet, so the number is still its own.
        kill(rank.pid, signal);
      }
    }
  }

  // The first that failed by itself, or else the first that failed.
  uint32_t Culprit() const {
    for (const uint32_t rank : failed_) {
      const RankProcess& child = ranks_[rank];
      if (!child.asked && !HasStopped(*child.end) &&
          child.end->ShellStatus() != options_.secondary_status) {
        return rank;
      }
    }
    for (const uint32_t rank : failed_) {
      if (!ranks_[rank].asked) {
        return rank;
      }
    }
    return failed_.front();
  }

  LaunchEnd Conclude() const {
    LaunchEnd result;
    result.stop_signal = stop_signal_;
    result.kill_signal = kill_signal_;
    if (failed_.empty()) {
      return result;
    }
    result.rank = Culprit();
    const RankProcess& first = ranks_[result.rank];
    result.pid = first.pid;
    result.end = *first.end;
    result.is_stopped = HasStopped(result.end) || kill_signal_ != 0;
    result.status =
        kill_signal_ != 0 ? 128 + kill_signal_ : result.end.ShellStatus();
    // Rank 0 says what it ends with, its own failure or another rank's, unless
    // it was killed or stopped.
    const ProcessEnd& zero = *ranks_[0].end;
    result.is_said = zero.exit_code != 0 && !HasStopped(zero);
    result.note = FindNote(result);
    if (!result.is_said && !result.is_stopped) {
      result.output = FindOutput(result.rank);
    }
    return result;
  }

  // The rank, and then all.
  std::vector<uint32_t> InOrder(uint32_t first) const {
    std::vector<uint32_t> order = {first};
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      order.push_back(rank);
    }
    return order;
  }

  std::optional<FailureNote> FindNote(const LaunchEnd& result) const {
    for (const uint32_t rank : InOrder(result.is_said ? 0 : result.rank)) {
      // Who was asked to stop knows nothing of the failure.
      std::optional<FailureNote> note =
          ranks_[rank].asked ? std::nullopt : ReadNote(ranks_[rank].note);
      if (note) {
        return note;
      }
    }
    return std::nullopt;
  }

  std::string FindOutput(uint32_t culprit) const {
    for (const uint32_t rank : InOrder(culprit)) {
      std::string text = ranks_[rank].asked ? "" : ranks_[rank].Output();
      if (!text.empty()) {
        return text;
      }
    }
    return "";
  }

  const LauncherOptions& options_;
  std::vector<RankProcess> ranks_;
  std::vector<uint32_t> failed_;  // in the order of their ends
  std::optional<Deadline> press_at_;
  bool asked_ = false;
  int signal_ = 0;
  int stop_signal_ = 0;
  int kill_signal_ = 0;
};

}  // namespace

absl::StatusOr<LaunchEnd> LaunchRanks(const LauncherOptions& options) {
  return Launch(options).Run();
}

absl::Status DieWithLauncher(int launcher) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return ErrnoError(errno, "cannot follow the launcher");
  }
  if (getppid() != launcher) {
    return absl::UnavailableError(
        absl::StrCat("the launcher, pid ", launcher, ", has ended"));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
