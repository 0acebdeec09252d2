// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that watches the processes of the other ranks, so that a death is
// known during computation, too.
#ifndef ACCEL_RUNTIME_LAUNCH_PEER_MONITOR_H_
#define ACCEL_RUNTIME_LAUNCH_PEER_MONITOR_H_

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/process_end.h"
#include "runtime/base/process_watch.h"
#include "runtime/comm/communicator.h"
#include "runtime/io/vfs.h"
#include "runtime/launch/local_socket.h"

namespace accel::runtime {

struct PeerMonitorOptions {
  uint32_t rank = 0;        // this one
  std::vector<pid_t> pids;  // per rank
  // Who connects to it is told `late_text`. May be none.
  LocalSocket listener;
  std::string late_text;
  // What the rank did last, for people. Called on the monitor's thread.
  std::function<std::string(uint32_t rank)> last_known;
};

// Threads: Stop by the one that made it.
class PeerMonitor {
 public:
  // Calls PeerFailed for every rank whose process ends before Stop, however it
  // ends.
  // Borrows: both.
  static absl::StatusOr<std::unique_ptr<PeerMonitor>> Create(
      Vfs& vfs, Communicator& communicator, PeerMonitorOptions options);
  ~PeerMonitor() { Stop(); }

  // Afterwards PeerFailed is not called any more.
  void Stop();
  // Whether the rank was killed or died, so that it can say nothing itself.
  // Ends the watch.
  bool HasDied(uint32_t rank);

 private:
  struct Peer {
    uint32_t rank = 0;
    pid_t pid = 0;
    std::optional<ProcessWatch> watch;  // none: has ended
  };

  PeerMonitor(Vfs& vfs, Communicator& communicator, PeerMonitorOptions options);
  void WatchPeers();
  void Serve();
  void Look();
  void RefuseLateComers();
  void Report(const Peer& peer);

  Vfs& vfs_;
  Communicator& communicator_;
  PeerMonitorOptions options_;
  std::vector<Peer> peers_;     // those that live
  std::vector<uint32_t> died_;  // ranks that did not exit by themselves
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// How process `pid` ended, from the line of /proc/PID/stat: nothing unless it
// is a zombie.
std::optional<ProcessEnd> ParseProcStat(absl::string_view text);

// How a process that has ended did; nothing if its parent has taken its status
// already and the kernel does not keep it (before 6.15). `watch` may be null.
std::optional<ProcessEnd> EndOfPeer(Vfs& vfs, pid_t pid,
                                    const ProcessWatch* watch);
// "died" where the end is not known.
std::string EndText(const std::optional<ProcessEnd>& end);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_PEER_MONITOR_H_
