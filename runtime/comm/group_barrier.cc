// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier is a number per rank that only grows: a rank has come to barrier n
// when its number is n or more.
#include "runtime/comm/group_barrier.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Calls differ although not all ranks have come: so long the others may still
// show who is the odd one out.
constexpr std::chrono::seconds kDifferenceGrace{1};

std::string RankList(const std::vector<uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    absl::StrAppend(&text,
                    i == 0                  ? ""
                    : i + 1 == ranks.size() ? " and "
                                            : ", ",
                    ranks[i]);
  }
  return text;
}

struct Party {
  const CallDescription* call;
  std::vector<uint32_t> ranks;
};

}  // namespace

GroupBarrier::GroupBarrier(Group& group, uint32_t rank,
                           std::chrono::nanoseconds timeout)
    : group_(group),
      region_(group.region()),
      rank_(rank),
      timeout_(timeout),
      signs_(region_.ranks()) {}

absl::Status GroupBarrier::Join() {
  Presence expected = Presence::kAbsent;
  if (!region_.block(rank_).presence.compare_exchange_strong(
          expected, Presence::kPresent)) {
    return absl::AlreadyExistsError(
        absl::StrCat(RankText(rank_), " is in the group already"));
  }
  joined_ = true;
  return absl::OkStatus();
}

void GroupBarrier::Leave() {
  if (!joined_) {
    return;
  }
  region_.block(rank_).presence.store(Presence::kLeft);
  region_.header().word.Wake();
}

absl::Status GroupBarrier::Open(const CallDescription& call) {
  RETURN_IF_ERROR(Failure());
  previous_ = call_;
  call_ = call;
  ++number_;
  region_.block(rank_).calls[number_ % 2] = call;
  Announce();
  first_barrier_ = barriers_;
  return absl::OkStatus();
}

absl::Status GroupBarrier::Compare() { return Await(/*comparing=*/true); }

absl::Status GroupBarrier::Next() {
  Announce();
  return Await(/*comparing=*/false);
}

void GroupBarrier::Close() { region_.block(rank_).completed.store(number_); }

uint64_t GroupBarrier::GroupProgress() const {
  uint64_t beats = 0;
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    beats += region_.block(rank).beats.load(std::memory_order_relaxed);
  }
  return beats;
}

void GroupBarrier::ReportProgress() {
  // No wake: who waits looks often enough.
  region_.block(rank_).beats.fetch_add(1, std::memory_order_relaxed);
}

void GroupBarrier::Announce() {
  region_.block(rank_).barriers.store(++barriers_);
  region_.header().word.Wake();
}

absl::Status GroupBarrier::Fail(uint32_t blamed, const absl::Status& status) {
  const absl::Status named = absl::Status(
      status.code(), absl::StrCat("rank ", blamed, ": ", status.message()));
  RankBlock& own = region_.block(rank_);
  if (own.failing.exchange(1) == 0) {
    const auto length =
        std::min(named.message().size(), sizeof own.failure.text);
    own.failure.code = static_cast<int32_t>(named.code());
    own.failure.length = static_cast<uint32_t>(length);
    std::memcpy(own.failure.text, named.message().data(), length);
    uint32_t none = 0;
    region_.header().first_failure_plus_one.compare_exchange_strong(none,
                                                                    rank_ + 1);
    region_.header().word.Wake();
  }
  const absl::Status counts = Failure();
  return counts.ok() ? named : counts;
}

absl::Status GroupBarrier::Failure() const {
  const uint32_t first = region_.header().first_failure_plus_one.load();
  if (first == 0) {
    return absl::OkStatus();
  }
  const FailureRecord& record =
      region_.block((first - 1) % region_.ranks()).failure;
  const size_t length = std::min<size_t>(record.length, sizeof record.text);
  return absl::Status(static_cast<absl::StatusCode>(record.code),
                      absl::string_view(record.text, length));
}

bool GroupBarrier::HasCome(uint32_t rank) const {
  return region_.block(rank).barriers.load() >= barriers_;
}

const CallDescription& GroupBarrier::CallOf(uint32_t rank) const {
  return region_.block(rank).calls[number_ % 2];
}

bool GroupBarrier::AnyDiffers() const {
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    if (HasCome(rank) && !(CallOf(rank) == call_)) {
      return true;
    }
  }
  return false;
}

void GroupBarrier::StartWatch() {
  clock_ = WaitClock();
  const Time now = clock_.Waited();
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    signs_[rank] = {region_.block(rank).beats.load(), now};
  }
  asked_kernel_ = now;
  differ_ = false;
}

GroupBarrier::Outcome GroupBarrier::LookAtMissingRank(uint32_t rank,
                                                      bool ask_kernel,
                                                      Time now) {
  RankBlock& block = region_.block(rank);
  if (block.presence.load() == Presence::kLeft ||
      (ask_kernel && group_.HasDied(rank))) {
    // Its last acts may have come between our looks.
    if (HasCome(rank)) {
      return Outcome::kWaiting;
    }
    gone_ = rank;
    return Failure().ok() ? Outcome::kGone : Outcome::kFailed;
  }
  const uint64_t beats = block.beats.load();
  if (beats != signs_[rank].beats) {
    signs_[rank] = {beats, now};
  }
  return now - signs_[rank].at >= timeout_ ? Outcome::kStalled
                                           : Outcome::kWaiting;
}

GroupBarrier::Outcome GroupBarrier::LookAtMissing(Time now) {
  const bool ask_kernel = now - asked_kernel_ >= kLookInterval;
  if (ask_kernel) {
    asked_kernel_ = now;
  }
  Outcome worst = Outcome::kWaiting;
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    if (HasCome(rank)) {
      continue;
    }
    const Outcome outcome = LookAtMissingRank(rank, ask_kernel, now);
    if (outcome == Outcome::kGone || outcome == Outcome::kFailed) {
      return outcome;
    }
    worst = std::max(worst, outcome);
  }
  return worst;
}

GroupBarrier::Outcome GroupBarrier::Look(bool comparing) {
  if (region_.header().first_failure_plus_one.load() != 0) {
    return Outcome::kFailed;
  }
  bool all = true;
  for (uint32_t rank = 0; rank < region_.ranks() && all; ++rank) {
    all = HasCome(rank);
  }
  const bool differ = comparing && AnyDiffers();
  if (all) {
    return differ ? Outcome::kDiffer : Outcome::kMet;
  }
  clock_.Look(kLookInterval);
  const Time now = clock_.Waited();
  if (differ && !differ_) {
    differ_ = true;
    differ_since_ = now;
  }
  if (differ && now - differ_since_ >= kDifferenceGrace) {
    return Outcome::kDiffer;
  }
  return LookAtMissing(now);
}

absl::Status GroupBarrier::Await(bool comparing) {
  StartWatch();
  Outcome outcome = Outcome::kWaiting;
  while (outcome == Outcome::kWaiting) {
    // Ends with nothing to report if all who are missing showed progress:
    // it waits once more.
    const absl::Status waited = WaitUntil(
        Deadline::After(timeout_), [&] { return CurrentText(); },
        region_.header().word,
        [&] {
          outcome = Look(comparing);
          return outcome != Outcome::kWaiting;
        });
    (void)waited;
  }
  return ToStatus(outcome);
}

absl::Status GroupBarrier::ToStatus(Outcome outcome) {
  switch (outcome) {
    case Outcome::kStalled:
      return FailOfStalled();
    case Outcome::kGone:
      return FailOfGone();
    case Outcome::kDiffer:
      return FailOfDifference();
    case Outcome::kFailed:
      return Failure();
    default:
      return absl::OkStatus();
  }
}

std::string GroupBarrier::CurrentText() const {
  return absl::StrCat(DescriptionText(call_), ", operation ", number_);
}

std::string GroupBarrier::RankText(uint32_t rank) const {
  const int32_t pid = region_.block(rank).pid.load();
  return pid == 0 ? absl::StrCat("rank ", rank)
                  : absl::StrCat("rank ", rank, " (pid ", pid, ")");
}

std::string GroupBarrier::LastKnown(uint32_t rank) const {
  const RankBlock& block = region_.block(rank);
  const uint64_t completed = block.completed.load();
  if (block.presence.load() == Presence::kAbsent) {
    return "has not joined the group";
  }
  if (block.barriers.load() >= first_barrier_) {
    return "came to it and stopped inside";
  }
  // All ranks made the calls before this one alike, so ours are theirs.
  if (completed + 1 < number_) {
    return absl::StrCat("stopped inside ", DescriptionText(previous_),
                        ", operation ", number_ - 1);
  }
  if (completed == 0) {
    return "has completed no operation";
  }
  return absl::StrCat("last completed ", DescriptionText(previous_),
                      ", operation ", number_ - 1);
}

absl::Status GroupBarrier::FailOfStalled() {
  std::vector<uint32_t> stalled;
  std::string known;
  const Time now = clock_.Waited();
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    if (!HasCome(rank) && now - signs_[rank].at >= timeout_) {
      stalled.push_back(rank);
      absl::StrAppend(&known, "; ", RankText(rank), " ", LastKnown(rank));
    }
  }
  if (stalled.empty()) {
    // They came while we looked; whether in time is the others' question, too.
    return Await(/*comparing=*/barriers_ == first_barrier_);
  }
  return Fail(rank_, absl::DeadlineExceededError(absl::StrCat(
                         "waited ", FormatDuration(timeout_), " for ",
                         RankList(stalled), " in ", CurrentText(), known)));
}

absl::Status GroupBarrier::FailOfGone() {
  const bool left = region_.block(gone_).presence.load() == Presence::kLeft;
  const std::string what =
      left ? "has left the group"
           : absl::StrCat("process ", region_.block(gone_).pid.load(),
                          " has died");
  return Fail(gone_, absl::UnavailableError(absl::StrCat(
                         what, " while rank ", rank_, " waited for it in ",
                         CurrentText(), "; it ", LastKnown(gone_))));
}

absl::Status GroupBarrier::FailOfDifference() {
  std::vector<Party> parties;
  for (uint32_t rank = 0; rank < region_.ranks(); ++rank) {
    if (!HasCome(rank)) {
      continue;
    }
    const CallDescription& call = CallOf(rank);
    auto party = std::find_if(parties.begin(), parties.end(),
                              [&](Party& p) { return *p.call == call; });
    if (party == parties.end()) {
      parties.push_back({&call, {}});
      party = parties.end() - 1;
    }
    party->ranks.push_back(rank);
  }
  // The majority first; of equal ones the party with the lowest rank.
  std::stable_sort(parties.begin(), parties.end(),
                   [](const Party& a, const Party& b) {
                     return a.ranks.size() > b.ranks.size();
                   });
  std::string text = absl::StrCat("the ranks differ in operation ", number_);
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < parties.size() && i < kShown; ++i) {
    absl::StrAppend(&text, i == 0 ? ": " : "; ", RankList(parties[i].ranks),
                    i == 0 ? " came to " : " to ",
                    DescriptionText(*parties[i].call));
  }
  absl::StrAppend(&text, "; all ranks must run the same plan");
  return Fail(parties[1 % parties.size()].ranks[0],
              absl::FailedPreconditionError(text));
}

}  // namespace accel::runtime
