// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching pidfds. Only a parent may ask how a process ended, but until it has
// done so the kernel shows it to all of the same user in /proc/PID/stat, and
// afterwards, if it is new enough, through the pidfd.
#include "runtime/launch/peer_monitor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/descriptor_wait.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/launch/hello.h"

namespace accel::runtime {
namespace {

// The wait is repeated; nothing depends on its length.
constexpr std::chrono::minutes kRepeatWatch(1);
constexpr uint64_t kMaxStatBytes = 1 << 16;

}  // namespace

std::optional<ProcessEnd> ParseProcStat(absl::string_view text) {
  // The program's name, which may hold anything, ends at the last ')'.
  const size_t name_end = text.rfind(')');
  if (name_end == absl::string_view::npos) {
    return std::nullopt;
  }
  const std::vector<absl::string_view> fields = absl::StrSplit(
      text.substr(name_end + 1), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  // The state is the 3rd field of proc(5) and the first after the name, the
  // exit code the 52nd.
  constexpr size_t kState = 0;
  constexpr size_t kExitCode = kState + 52 - 3;
  int status = 0;
  if (fields.size() <= kExitCode || fields[kState] != "Z" ||
      !absl::SimpleAtoi(fields[kExitCode], &status)) {
    return std::nullopt;
  }
  return ProcessEnd::OfWaitStatus(status);
}

std::optional<ProcessEnd> EndOfPeer(Vfs& vfs, pid_t pid,
                                    const ProcessWatch* watch) {
  const absl::StatusOr<std::string> text =
      ReadWholeFile(vfs, absl::StrCat("/proc/", pid, "/stat"), kMaxStatBytes);
  std::optional<ProcessEnd> end =
      text.ok() ? ParseProcStat(*text) : std::nullopt;
  const std::optional<int> status =
      !end && watch != nullptr ? watch->StatusAfterReaping() : std::nullopt;
  return status ? ProcessEnd::OfWaitStatus(*status) : end;
}

std::string EndText(const std::optional<ProcessEnd>& end) {
  return end ? end->Text() : "died";
}

PeerMonitor::PeerMonitor(Vfs& vfs, Communicator& communicator,
                         PeerMonitorOptions options)
    : vfs_(vfs), communicator_(communicator), options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<PeerMonitor>> PeerMonitor::Create(
    Vfs& vfs, Communicator& communicator, PeerMonitorOptions options) {
  std::unique_ptr<PeerMonitor> monitor(
      new PeerMonitor(vfs, communicator, std::move(options)));
  monitor->WatchPeers();
  ASSIGN_OR_RETURN(monitor->thread_,
                   StartThread("the thread that watches the other ranks",
                               [m = monitor.get()] { m->Serve(); }));
  return monitor;
}

void PeerMonitor::WatchPeers() {
  for (uint32_t rank = 0; rank < options_.pids.size(); ++rank) {
    if (rank == options_.rank) {
      continue;
    }
    Peer peer;
    peer.rank = rank;
    peer.pid = options_.pids[rank];
    absl::StatusOr<ProcessWatch> watch = ProcessWatch::Open(peer.pid);
    if (watch.ok()) {
      peer.watch = *std::move(watch);
      peers_.push_back(std::move(peer));
    } else {
      Report(peer);
    }
  }
}

void PeerMonitor::Stop() {
  stop_.store(true);
  if (thread_.joinable()) {
    thread_.join();
  }
}

void PeerMonitor::Serve() {
  while (!stop_.load()) {
    std::vector<int> descriptors = {options_.listener.descriptor()};
    for (const Peer& peer : peers_) {
      descriptors.push_back(peer.watch->descriptor());
    }
    const size_t watched = peers_.size();
    WaitUntil(
        Deadline::After(kRepeatWatch),
        [] { return std::string("the ranks' ends"); }, descriptors,
        [&] {
          if (!stop_.load()) {
            Look();
          }
          return stop_.load() || peers_.size() != watched;
        })
        .IgnoreError();
  }
}

void PeerMonitor::Look() {
  RefuseLateComers();
  const auto ended = std::stable_partition(
      peers_.begin(), peers_.end(),
      [](const Peer& peer) { return !peer.watch->HasEnded(); });
  for (auto peer = ended; peer != peers_.end(); ++peer) {
    Report(*peer);
  }
  peers_.erase(ended, peers_.end());
}

void PeerMonitor::RefuseLateComers() {
  if (options_.listener.descriptor() < 0) {
    return;
  }
  while (std::optional<LocalSocket> socket = options_.listener.Accept()) {
    socket->Send(EncodeFrame(Refusal{options_.late_text}), {}).IgnoreError();
  }
}

bool PeerMonitor::HasDied(uint32_t rank) {
  Stop();
  Look();
  return std::find(died_.begin(), died_.end(), rank) != died_.end();
}

void PeerMonitor::Report(const Peer& peer) {
  const std::optional<ProcessEnd> end =
      EndOfPeer(vfs_, peer.pid, peer.watch ? &*peer.watch : nullptr);
  if (!end || end->signal != 0) {
    died_.push_back(peer.rank);
  }
  communicator_.PeerFailed(
      peer.rank, absl::UnavailableError(
                     absl::StrCat(EndText(end), ", pid ", peer.pid, ", ",
                                  options_.last_known(peer.rank))));
}

}  // namespace accel::runtime
