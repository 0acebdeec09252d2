// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// posix_spawn, pidfds and waitid.
#include "runtime/launch/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/descriptor_wait.h"
#include "runtime/base/errors.h"
#include "runtime/base/process_end.h"
#include "runtime/base/process_watch.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/shared_memory.h"
#include "runtime/launch/rank_environment.h"

namespace accel::runtime {
namespace {

// The wait is repeated; nothing depends on its length.
constexpr std::chrono::minutes kRepeatLaunch(1);

struct Child {
  pid_t pid = 0;
  std::optional<ProcessWatch> watch;
  FileDescriptor output;  // of all but rank 0: what it has said
  std::optional<ProcessEnd> end;
  // It may have ended because it was asked or made to.
  bool asked = false;
};

// It was asked to stop and did, as a run alone does: the others follow.
bool HasStopped(const ProcessEnd& end) {
  return end.signal == 0 && end.exit_code > 128;
}

// The environment of a rank: ours, and what makes it one.
std::vector<std::string> EnvironmentOf(const RankEnvironment& rank) {
  std::vector<std::string> variables = RankVariables(rank);
  const size_t own = variables.size();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view text(*entry);
    const absl::string_view name = text.substr(0, text.find('=') + 1);
    if (std::none_of(
            variables.begin(), variables.begin() + static_cast<ptrdiff_t>(own),
            [&](const std::string& variable) {
              return absl::string_view(variable).substr(0, name.size()) == name;
            })) {
      variables.emplace_back(text);
    }
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

class Launch {
 public:
  Launch(const LauncherOptions& options, const Logger& logger)
      : options_(options), logger_(logger), children_(options.ranks) {}

  // Whatever happens, no child is left.
  ~Launch() {
    Signal(SIGKILL);
    while (!AllHaveEnded()) {
      Await();
    }
    for (const Child& child : children_) {
      if (child.pid != 0) {
        ReapChild(child.pid);
      }
    }
  }

  absl::StatusOr<int> Run() {
    for (uint32_t rank = 0; rank < options_.ranks; ++rank) {
      RETURN_IF_ERROR(Spawn(rank));
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
  absl::Status Spawn(uint32_t rank) {
    RankEnvironment environment;
    environment.rank = rank;
    environment.ranks = options_.ranks;
    environment.run_id = absl::StrCat("launcher-", getpid());
    environment.launcher = getpid();
    std::vector<std::string> variables = EnvironmentOf(environment);
    Child& child = children_[rank];
    if (rank != 0) {
      ASSIGN_OR_RETURN(child.output, CreateSharedMemory("accel-output", 0));
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (rank != 0) {
      const int output = child.output.get();
      posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
      posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    }
    // A process group of its own: the terminal's Ctrl-C comes through us, once.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error =
        posix_spawn(&child.pid, "/proc/self/exe", &files, &attributes,
                    options_.argv, Pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      child.pid = 0;
      return ErrnoError(error, absl::StrCat("cannot start rank ", rank));
    }
    ASSIGN_OR_RETURN(child.watch, ProcessWatch::Open(child.pid));
    return absl::OkStatus();
  }

  bool AllHaveEnded() const {
    return std::all_of(
        children_.begin(), children_.end(),
        [](const Child& child) { return child.pid == 0 || child.end; });
  }

  // Until a rank ends or there is something else to do.
  void Await() {
    std::vector<int> descriptors;
    for (const Child& child : children_) {
      if (!child.end && child.watch) {
        descriptors.push_back(child.watch->descriptor());
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
    for (uint32_t rank = 0; rank < children_.size(); ++rank) {
      Child& child = children_[rank];
      if (child.pid == 0 || child.end) {
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
    } else if (signal != 0) {
      Signal(signal);
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

  static bool IsStopped(const Child& child) {
    return child.pid != 0 && !child.end && IsChildStopped(child.pid);
  }

  bool AnyIsStopped() const {
    return std::any_of(children_.begin(), children_.end(), IsStopped);
  }

  // After a failure. It can neither notice that nor do what it is asked.
  void KillStopped() {
    if (!press_at_) {
      return;
    }
    for (Child& child : children_) {
      if (IsStopped(child)) {
        child.asked = true;
        kill(child.pid, SIGKILL);
      }
    }
  }

  // Ranks notice each other's failures; those that do not are hanging.
  void PressTheRest() {
    if (!press_at_ || !press_at_->Expired()) {
      return;
    }
    for (Child& child : children_) {
      child.asked |= !child.end;
    }
    Signal(asked_ ? SIGKILL : SIGTERM);
    asked_ = true;
    press_at_ = Deadline::After(options_.kill_after - options_.ask_after);
  }

  void Signal(int signal) {
    for (const Child& child : children_) {
      if (child.pid != 0 && !child.end) {
        // Not reaped yet, so the number is still its own.
        kill(child.pid, signal);
      }
    }
  }

  // The first that failed by itself, or else the first that failed.
  uint32_t Culprit() const {
    for (const uint32_t rank : failed_) {
      const Child& child = children_[rank];
      if (!child.asked && !HasStopped(*child.end) &&
          child.end->ShellStatus() != options_.secondary_status) {
        return rank;
      }
    }
    for (const uint32_t rank : failed_) {
      if (!children_[rank].asked) {
        return rank;
      }
    }
    return failed_.front();
  }

  int Conclude() const {
    if (failed_.empty()) {
      return 0;
    }
    const uint32_t culprit = Culprit();
    const Child& first = children_[culprit];
    const ProcessEnd& zero = *children_[0].end;
    // Rank 0 says what it ends with, its own failure or another rank's, unless
    // it was killed or stopped.
    const bool said = zero.exit_code != 0 && !HasStopped(zero);
    const bool stopped = HasStopped(*first.end);
    if (!said && !stopped && !ShowOutput(culprit)) {
      logger_.Log(LogLevel::kError,
                  absl::StrCat("rank ", culprit, ": ", first.end->Text(),
                               ", pid ", first.pid));
    }
    return first.end->ShellStatus();
  }

  // What the culprit said, or the first rank that said anything.
  bool ShowOutput(uint32_t culprit) const {
    std::vector<uint32_t> order = {culprit};
    for (uint32_t rank = 0; rank < children_.size(); ++rank) {
      order.push_back(rank);
    }
    for (const uint32_t rank : order) {
      const FileDescriptor& output = children_[rank].output;
      const auto size = SharedMemorySize(output);
      // Who was asked to stop knows nothing of the failure.
      if (children_[rank].asked || output.get() < 0 || !size.ok() ||
          *size == 0) {
        continue;
      }
      const auto mapping = SharedMapping::Map(output, 0, *size);
      if (!mapping.ok()) {
        continue;
      }
      const absl::string_view text(
          reinterpret_cast<const char*>(mapping->bytes().data()),
          mapping->bytes().size());
      StderrSink()(absl::StripSuffix(text, "\n"));
      return true;
    }
    return false;
  }

  const LauncherOptions& options_;
  const Logger& logger_;
  std::vector<Child> children_;   // per rank
  std::vector<uint32_t> failed_;  // in the order of their ends
  std::optional<Deadline> press_at_;
  bool asked_ = false;
  int signal_ = 0;
};

}  // namespace

absl::StatusOr<int> LaunchRanks(const LauncherOptions& options,
                                const Logger& logger) {
  return Launch(options, logger).Run();
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
