// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both sides of the rendezvous.
#include "runtime/launch/rendezvous.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/descriptor_wait.h"
#include "runtime/base/process_watch.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/shm_group.h"
#include "runtime/launch/hello.h"
#include "runtime/launch/peer_monitor.h"
#include "runtime/launch/progress_board.h"

namespace accel::runtime {
namespace {

// So that rank 0, which knows who is missing, gives up first.
constexpr std::chrono::seconds kPatience{2};

std::string PlaceText(const RankEnvironment& environment) {
  return absl::StrCat("MASTER_PORT ", environment.port, ", run id '",
                      environment.run_id, "'");
}

std::string RankList(const std::vector<uint32_t>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ",
                      absl::StrJoin(ranks, ", "));
}

absl::Status Stopped() {
  return absl::CancelledError("stopped before all ranks had come");
}

// Of a rank that has closed its connection too early. Its process may take a
// moment to end.
absl::Status EndedTooEarly(Vfs& vfs, uint32_t rank, pid_t pid) {
  const absl::StatusOr<ProcessWatch> watch = ProcessWatch::Open(pid);
  if (watch.ok()) {
    WaitUntil(
        Deadline::After(std::chrono::seconds(1)),
        [] { return std::string("the end of a rank"); }, {watch->descriptor()},
        [&] { return watch->HasEnded(); })
        .IgnoreError();
  }
  const std::string how =
      watch.ok() && !watch->HasEnded()
          ? "gave up"
          : EndText(EndOfPeer(vfs, pid, watch.ok() ? &*watch : nullptr));
  return absl::UnavailableError(absl::StrCat(
      "rank ", rank, ": ", how, ", pid ", pid, ", before all ranks had come"));
}

// A connection that may become a rank.
struct Guest {
  LocalSocket socket;
  pid_t pid = 0;
  std::optional<uint32_t> rank;
};

// Rank 0.
class Host {
 public:
  Host(Vfs& vfs, const RendezvousOptions& options)
      : vfs_(vfs),
        options_(options),
        ranks_(options.environment.ranks),
        pids_(ranks_, 0) {
    pids_[0] = getpid();
  }

  absl::StatusOr<RendezvousResult> Meet() {
    absl::StatusOr<LocalSocket> listener =
        LocalSocket::Listen(RendezvousName(options_.environment));
    if (absl::IsAlreadyExists(listener.status())) {
      return absl::AlreadyExistsError(absl::StrCat(
          "the rendezvous name is in use (", PlaceText(options_.environment),
          "): another run has the same port and run id; set another "
          "MASTER_PORT, or wait for its end"));
    }
    RETURN_IF_ERROR(listener.status());
    listener_ = *std::move(listener);
    absl::Status status = AwaitAll();
    if (status.ok()) {
      status = SendMemory();
    }
    if (!status.ok()) {
      Refuse(status);
      return status;
    }
    result_.pids = pids_;
    result_.listener = std::move(listener_);
    return std::move(result_);
  }

 private:
  absl::Status AwaitAll() {
    const Deadline deadline = Deadline::After(options_.timeout);
    absl::Status failure;
    while (failure.ok() && !AllHaveCome()) {
      bool news = false;
      const absl::Status waited = WaitUntil(
          deadline, [this] { return MissingText(); }, Descriptors(),
          [&] {
            news = Look(failure);
            return news || !failure.ok() || options_.stop_requested();
          });
      RETURN_IF_ERROR(waited);
      if (options_.stop_requested()) {
        return Stopped();
      }
    }
    return failure;
  }

  std::vector<int> Descriptors() const {
    std::vector<int> descriptors = {listener_.descriptor()};
    for (const Guest& guest : guests_) {
      descriptors.push_back(guest.socket.descriptor());
    }
    return descriptors;
  }

  // True if the guests have changed.
  bool Look(absl::Status& failure) {
    bool news = false;
    while (std::optional<LocalSocket> socket = listener_.Accept()) {
      const absl::StatusOr<pid_t> pid = socket->PeerPid();
      if (pid.ok()) {  // else somebody else's: dropped
        guests_.push_back({*std::move(socket), *pid, std::nullopt});
        news = true;
      }
    }
    for (size_t i = 0; i < guests_.size() && failure.ok();) {
      absl::StatusOr<std::optional<LocalSocket::Message>> message =
          guests_[i].socket.Receive();
      if (message.ok() && !message->has_value()) {
        ++i;
        continue;
      }
      news = true;
      failure =
          message.ok() ? Hear(guests_[i], (*message)->bytes) : Lose(guests_[i]);
      if (guests_[i].rank || !failure.ok()) {
        ++i;  // told why, too
      } else {
        guests_.erase(guests_.begin() + static_cast<ptrdiff_t>(i));
      }
    }
    return news;
  }

  // What is no hello is no rank: told so, and dropped.
  absl::Status Hear(Guest& guest, absl::string_view bytes) {
    const absl::StatusOr<RendezvousFrame> frame = DecodeFrame(bytes);
    if (!frame.ok()) {
      guest.socket
          .Send(EncodeFrame(Refusal{std::string(frame.status().message())}), {})
          .IgnoreError();
      return absl::OkStatus();
    }
    if (!std::holds_alternative<Hello>(*frame) || guest.rank) {
      return absl::OkStatus();
    }
    const Hello& hello = std::get<Hello>(*frame);
    const std::string who =
        absl::StrCat("rank ", hello.rank, " (pid ", guest.pid, ")");
    if (hello.ranks != ranks_) {
      return absl::FailedPreconditionError(absl::StrCat(
          who, " was started as one of ", hello.ranks, " ranks, rank 0 (pid ",
          getpid(), ") as one of ", ranks_, ": expected one WORLD_SIZE for ",
          PlaceText(options_.environment)));
    }
    if (hello.version != options_.version) {
      return absl::FailedPreconditionError(
          absl::StrCat(who, " is accel-run ", hello.version, ", rank 0 (pid ",
                       getpid(), ") is accel-run ", options_.version,
                       ": expected the same version on all ranks"));
    }
    if (pids_[hello.rank] != 0) {
      return absl::FailedPreconditionError(absl::StrCat(
          "rank ", hello.rank, " has come twice, as pid ", pids_[hello.rank],
          " and as pid ", guest.pid, ": does another run use ",
          PlaceText(options_.environment), "?"));
    }
    pids_[hello.rank] = guest.pid;
    guest.rank = hello.rank;
    return absl::OkStatus();
  }

  absl::Status Lose(const Guest& guest) {
    return guest.rank ? EndedTooEarly(vfs_, *guest.rank, guest.pid)
                      : absl::OkStatus();
  }

  bool AllHaveCome() const {
    return std::find(pids_.begin(), pids_.end(), 0) == pids_.end();
  }

  std::string MissingText() const {
    std::vector<uint32_t> missing;
    std::vector<uint32_t> here;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      (pids_[rank] == 0 ? missing : here).push_back(rank);
    }
    return absl::StrCat(RankList(missing), " to come to the rendezvous (",
                        PlaceText(options_.environment), "); ", RankList(here),
                        here.size() == 1 ? " has" : " have",
                        " come; start all ", ranks_, " ranks");
  }

  absl::Status SendMemory() {
    // The size of a slot is the group's own default.
    ASSIGN_OR_RETURN(result_.group,
                     CreateShmGroup(ranks_, CommunicatorOptions()));
    ASSIGN_OR_RETURN(result_.board, ProgressBoard::CreateMemory(ranks_));
    const std::string welcome =
        EncodeFrame(Welcome{{pids_.begin(), pids_.end()}});
    for (Guest& guest : guests_) {
      if (!guest.rank) {
        continue;
      }
      // Who has died meanwhile is found by the monitor.
      guest.socket.Send(welcome, {result_.group.get(), result_.board.get()})
          .IgnoreError();
    }
    return absl::OkStatus();
  }

  void Refuse(const absl::Status& status) {
    const std::string refusal =
        EncodeFrame(Refusal{std::string(status.message())});
    for (Guest& guest : guests_) {
      guest.socket.Send(refusal, {}).IgnoreError();
    }
  }

  Vfs& vfs_;
  const RendezvousOptions& options_;
  const uint32_t ranks_;
  LocalSocket listener_;
  std::vector<Guest> guests_;
  std::vector<pid_t> pids_;  // per rank; 0: has not come
  RendezvousResult result_;
};

absl::StatusOr<LocalSocket> ConnectToHost(const RendezvousOptions& options) {
  const std::string name = RendezvousName(options.environment);
  absl::StatusOr<LocalSocket> socket;
  RETURN_IF_ERROR(WaitUntil(
      Deadline::After(options.timeout),
      [&] {
        return absl::StrCat("rank 0 at the rendezvous (",
                            PlaceText(options.environment),
                            "); start it with the same MASTER_PORT and run id");
      },
      {},
      [&] {
        socket = LocalSocket::Connect(name);
        return !absl::IsNotFound(socket.status()) || options.stop_requested();
      }));
  if (!socket.ok() && options.stop_requested()) {
    return Stopped();
  }
  return socket;
}

// Another rank than 0.
absl::StatusOr<RendezvousResult> Visit(Vfs& vfs,
                                       const RendezvousOptions& options) {
  ASSIGN_OR_RETURN(LocalSocket socket, ConnectToHost(options));
  ASSIGN_OR_RETURN(const pid_t host, socket.PeerPid());
  // It may have refused and closed already; then its answer is here.
  socket
      .Send(EncodeFrame(Hello{options.environment.rank,
                              options.environment.ranks, options.version}),
            {})
      .IgnoreError();
  absl::StatusOr<std::optional<LocalSocket::Message>> message = std::nullopt;
  RETURN_IF_ERROR(WaitUntil(
      Deadline::After(options.timeout + kPatience),
      [&] { return absl::StrCat("an answer of rank 0 (pid ", host, ")"); },
      {socket.descriptor()},
      [&] {
        message = socket.Receive();
        return !message.ok() || message->has_value() ||
               options.stop_requested();
      }));
  if (!message.ok()) {
    return EndedTooEarly(vfs, 0, host);
  }
  if (!message->has_value()) {
    return Stopped();
  }
  ASSIGN_OR_RETURN(const RendezvousFrame frame, DecodeFrame((*message)->bytes));
  if (const Refusal* refusal = std::get_if<Refusal>(&frame)) {
    return absl::FailedPreconditionError(
        absl::StrCat("rank 0 (pid ", host, ") says: ", refusal->text));
  }
  const Welcome* welcome = std::get_if<Welcome>(&frame);
  if (welcome == nullptr || (*message)->descriptors.size() != 2 ||
      welcome->pids.size() != options.environment.ranks) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank 0 (pid ", host, "): expected a welcome with two descriptors"));
  }
  RendezvousResult result;
  result.pids.assign(welcome->pids.begin(), welcome->pids.end());
  result.group = std::move((*message)->descriptors[0]);
  result.board = std::move((*message)->descriptors[1]);
  return result;
}

}  // namespace

std::string RendezvousName(const RankEnvironment& environment) {
  // A run id may be long and hold anything.
  const std::string id = ToHex(Sha256::Of(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(environment.run_id.data()),
      environment.run_id.size())));
  return absl::StrCat("accel-run-", getuid(), "-", environment.port, "-",
                      id.substr(0, 16));
}

absl::StatusOr<RendezvousResult> MeetRanks(Vfs& vfs,
                                           const RendezvousOptions& options) {
  return options.environment.rank == 0 ? Host(vfs, options).Meet()
                                       : Visit(vfs, options);
}

std::string LateText(const RankEnvironment& environment) {
  return absl::StrCat("the run of ", environment.ranks, " ranks at ",
                      PlaceText(environment),
                      " has begun already; set another MASTER_PORT");
}

}  // namespace accel::runtime
