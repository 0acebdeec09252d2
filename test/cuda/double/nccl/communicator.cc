// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/communicator.h"

#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "test/cuda/double/nccl/collective_work.h"
#include "test/cuda/double/nccl/configuration.h"
#include "test/cuda/double/nccl/refusals.h"

namespace accel::cuda_double::nccl {
namespace {

using namespace runtime::cuda;  // NOLINT

// Of a communicator that is not blocking: a call is done at once or after as
// many polls.
constexpr uint64_t kMaxPolls = 4;

void Sleep() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

template <typename Predicate>
bool Communicator::AllMembers(Predicate predicate) const {
  for (int rank = 0; rank < options_.rank.ranks; ++rank) {
    if (!predicate(segment_->header().members[rank])) {
      return false;
    }
  }
  return true;
}

std::shared_ptr<Communicator> Communicator::Join(
    std::shared_ptr<Segment> segment, const Options& options,
    NcclResult* result) {
  Header& header = segment->header();
  const auto [rank, ranks] = options.rank;
  int counted = 0;
  if (!header.ranks.compare_exchange_strong(counted, ranks) &&
      counted != ranks) {
    *result = Misuse(kNcclInvalidUsage,
                     "ncclCommInitRankConfig: rank " + std::to_string(rank) +
                         " counts " + std::to_string(ranks) +
                         " ranks, another one " + std::to_string(counted));
    return nullptr;
  }
  Member& member = header.members[rank];
  int state = Member::kAbsent;
  if (!member.state.compare_exchange_strong(state, Member::kJoining)) {
    *result = Misuse(kNcclInvalidUsage, "ncclCommInitRankConfig: rank " +
                                            std::to_string(rank) +
                                            " has joined already by this id");
    return nullptr;
  }
  member.process = ::getpid();
  member.gpu = options.gpu;
  member.version = TheConfiguration().version;
  std::shared_ptr<Communicator> communicator(
      new Communicator(std::move(segment), options));
  if (!options.is_blocking) {
    communicator->polls_left_ =
        1 + Hash(TheConfiguration().seed, static_cast<uint64_t>(rank), 0) %
                kMaxPolls;
  }
  member.state = Member::kJoined;
  *result = kNcclSuccess;
  return communicator;
}

std::string Communicator::name() const {
  return "rank " + std::to_string(options_.rank.rank) + " of " +
         std::to_string(options_.rank.ranks);
}

NcclResult Communicator::CheckMembers() const {
  const Member* members = segment_->header().members;
  for (int a = 0; a < options_.rank.ranks; ++a) {
    for (int b = 0; b < a; ++b) {
      const std::string both =
          "rank " + std::to_string(b) + " and rank " + std::to_string(a);
      if (members[a].gpu == members[b].gpu) {
        return Misuse(kNcclInvalidUsage, "ncclCommInitRankConfig: " + both +
                                             " use the same GPU " +
                                             std::to_string(members[a].gpu));
      }
      if (members[a].version != members[b].version) {
        return Misuse(kNcclInvalidUsage,
                      "ncclCommInitRankConfig: " + both + " have versions " +
                          std::to_string(members[b].version) + " and " +
                          std::to_string(members[a].version) + " of NCCL");
      }
    }
  }
  return kNcclSuccess;
}

bool Communicator::IsLate() {
  const std::lock_guard<std::mutex> guard(lock_);
  return polls_left_ != 0 && polls_left_-- != 0;
}

NcclResult Communicator::PollJoining() {
  if (!AllMembers([](const Member& m) { return m.state >= Member::kJoined; }) ||
      IsLate()) {
    return kNcclInProgress;
  }
  segment_->ForgetId();
  const NcclResult result = CheckMembers();
  if (result == kNcclSuccess) {
    stage_ = Stage::kReady;
  } else {
    error_ = result;
  }
  return result;
}

NcclResult Communicator::PollLaunch() {
  Launch launch;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!delayed_.has_value()) {
      return kNcclSuccess;
    }
    if (is_launching_ || (polls_left_ != 0 && --polls_left_ != 0)) {
      return kNcclInProgress;
    }
    launch = *delayed_;
    is_launching_ = true;
  }
  const NcclResult result = Enqueue(shared_from_this(), launch);
  if (result != kNcclSuccess) {
    error_ = result;
  }
  const std::lock_guard<std::mutex> guard(lock_);
  delayed_ = std::nullopt;
  is_launching_ = false;
  return result;
}

NcclResult Communicator::PollFinalising() {
  if (works > captured_works) {
    return kNcclInProgress;
  }
  own().state = Member::kFinalised;
  // One thread may finalise several communicators that block, one by one.
  const int process = is_blocking() ? ::getpid() : -1;
  const bool all = AllMembers([process](const Member& member) {
    return member.process == process || member.state >= Member::kFinalised;
  });
  if (!all || IsLate()) {
    return kNcclInProgress;
  }
  stage_ = Stage::kFinalised;
  return kNcclSuccess;
}

NcclResult Communicator::Poll() {
  accel_double_progress();
  if (is_aborted_) {
    return kNcclInternalError;
  }
  if (error_ != kNcclSuccess) {
    return error_;
  }
  switch (stage_) {
    case Stage::kJoining:
      return PollJoining();
    case Stage::kFinalising:
      return PollFinalising();
    default:
      return PollLaunch();
  }
}

NcclResult Communicator::Wait() {
  NcclResult result = Poll();
  while (result == kNcclInProgress) {
    Sleep();
    result = Poll();
  }
  return result;
}

NcclResult Communicator::CheckReady(const std::string& what) {
  if (error_ != kNcclSuccess) {
    return Fail(error_, what + ": the communicator of " + name() +
                            " has failed; only ncclCommAbort can follow");
  }
  bool is_late = false;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    is_late = delayed_.has_value();
  }
  if (is_late || stage_ == Stage::kJoining || stage_ == Stage::kFinalising) {
    return Misuse(kNcclInvalidArgument,
                  what + ": the communicator of " + name() +
                      " is in progress until ncclCommGetAsyncError says "
                      "ncclSuccess");
  }
  if (stage_ != Stage::kReady) {
    return Misuse(kNcclInvalidUsage, what + ": the communicator of " + name() +
                                         " has been finalised");
  }
  return kNcclSuccess;
}

NcclResult Communicator::Start(Launch launch) {
  StreamState now;
  if (accel_double_stream_state(launch.stream, &now) == kSuccess) {
    launch.state.issues = now.issues;  // The group may have begun before.
  }
  if (!is_blocking()) {
    const std::lock_guard<std::mutex> guard(lock_);
    polls_left_ = Hash(TheConfiguration().seed,
                       static_cast<uint64_t>(options_.rank.rank), ++delays_) %
                  kMaxPolls;
    if (polls_left_ != 0) {
      delayed_ = std::move(launch);
      return kNcclInProgress;
    }
  }
  return Enqueue(shared_from_this(), launch);
}

NcclResult Communicator::Finalise() {
  const NcclResult result = CheckReady("ncclCommFinalize");
  if (result != kNcclSuccess) {
    return result;
  }
  if (is_blocking()) {
    stage_ = Stage::kFinalising;
    return Wait();
  }
  const std::lock_guard<std::mutex> guard(lock_);
  const uint64_t hash =
      Hash(TheConfiguration().seed, static_cast<uint64_t>(options_.rank.rank),
           ++delays_);
  polls_left_ = 1 + hash % kMaxPolls;
  stage_ = Stage::kFinalising;
  // The state is ncclInProgress either way.
  return (hash >> 32) % 2 == 0 ? kNcclSuccess : kNcclInProgress;
}

NcclResult Communicator::Destroy() {
  NcclResult result = kNcclSuccess;
  if (stage_ != Stage::kFinalised) {
    result = CheckReady("ncclCommDestroy");
  }
  if (result == kNcclSuccess && captured_works != 0) {
    result =
        Misuse(kNcclInvalidUsage,
               "ncclCommDestroy: graphs still hold " +
                   std::to_string(captured_works) + " operations of " + name() +
                   ", and NCCL would wait until they are destroyed");
  }
  if (result != kNcclSuccess) {
    return result;
  }
  const int process = ::getpid();
  const auto has_ended = [process](const Member& member) {
    return member.process == process || member.state >= Member::kFinalised;
  };
  while (!is_aborted_ && (works != 0 || !AllMembers(has_ended))) {
    accel_double_progress();
    if (works == 0) {
      own().state = Member::kFinalised;
    }
    Sleep();
  }
  own().state = Member::kFinalised;
  stage_ = Stage::kDestroyed;
  return kNcclSuccess;
}

void Communicator::Abort() {
  is_aborted_ = true;
  own().state = Member::kGone;
  const std::lock_guard<std::mutex> guard(lock_);
  delayed_ = std::nullopt;
}

void Communicator::Break(NcclResult error) { error_ = error; }

uint64_t Communicator::BeginOperation(size_t collectives) {
  const Configuration& configuration = TheConfiguration();
  const std::lock_guard<std::mutex> guard(lock_);
  const uint64_t before =
      std::exchange(collectives_, collectives_ + collectives);
  const bool of_rank = configuration.async_rank < 0 ||
                       configuration.async_rank == options_.rank.rank;
  if (configuration.async_code != 0 && of_rank &&
      configuration.async_number > before &&
      configuration.async_number <= collectives_) {
    error_ = configuration.async_code;
    return 0;
  }
  return ++position_;
}

bool Communicator::AllHaveBegun(uint64_t position) {
  return AllMembers(
      [position](const Member& member) { return member.begun >= position; });
}

}  // namespace accel::cuda_double::nccl
