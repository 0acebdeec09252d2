// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks tell each other goes through their communicator, whose waits have
// deadlines and end with the first failure.
#include "runtime/launch/rank_group.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/shm_group.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<RankGroup>> RankGroup::Join(
    Vfs& vfs, const RendezvousOptions& options) {
  const RankEnvironment& environment = options.environment;
  ASSIGN_OR_RETURN(RendezvousResult met, MeetRanks(vfs, options));
  ASSIGN_OR_RETURN(ProgressBoard board,
                   ProgressBoard::Open(met.board, environment.ranks));
  std::unique_ptr<RankGroup> group(new RankGroup(std::move(board)));
  CommunicatorOptions communicator;
  communicator.timeout = options.timeout;
  ASSIGN_OR_RETURN(group->communicator_,
                   JoinShmGroup(std::move(met.group), environment.rank,
                                environment.ranks, communicator));
  PeerMonitorOptions monitor;
  monitor.rank = environment.rank;
  monitor.pids = std::move(met.pids);
  monitor.listener = std::move(met.listener);
  monitor.late_text = LateText(environment);
  monitor.last_known = [g = group.get()](uint32_t rank) {
    return g->LastKnown(rank);
  };
  ASSIGN_OR_RETURN(
      group->monitor_,
      PeerMonitor::Create(vfs, *group->communicator_, std::move(monitor)));
  return group;
}

RankGroup::~RankGroup() {
  // Before the communicator, which it uses.
  monitor_.reset();
}

absl::Status RankGroup::Compare(const RankFacts& facts) {
  ASSIGN_OR_RETURN(const std::string own, EncodeFacts(facts));
  std::vector<std::byte> all(kFactsBytes * ranks());
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kU8;
  call.elements = all.size();
  call.granule = kFactsBytes;
  call.name = "the comparison of the ranks";
  call.input = absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(own.data()), own.size());
  call.output = absl::MakeSpan(all);
  RETURN_IF_ERROR(communicator_->Run(call));
  std::vector<RankFacts> ranks_facts;
  for (uint32_t rank = 0; rank < ranks(); ++rank) {
    ASSIGN_OR_RETURN(RankFacts decoded,
                     DecodeFacts(absl::MakeConstSpan(all).subspan(
                         rank * kFactsBytes, kFactsBytes)));
    ranks_facts.push_back(std::move(decoded));
  }
  return CompareFacts(ranks_facts);
}

absl::StatusOr<int64_t> RankGroup::AgreeOnStop(int64_t signal) {
  int64_t agreed = signal;
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_REDUCE;
  call.reduction = planpb::Collective::REDUCTION_MAX;
  call.dtype = DType::kI64;
  call.elements = 1;
  call.name = "the agreement to go on";
  call.output =
      absl::MakeSpan(reinterpret_cast<std::byte*>(&agreed), sizeof agreed);
  call.input = call.output;
  RETURN_IF_ERROR(communicator_->Run(call));
  return agreed;
}

absl::Status RankGroup::Finish() {
  // Not after the barrier: then a rank that has passed it and ended would seem
  // dead to one that has not looked yet. A death before it is noticed by those
  // who wait in it.
  monitor_->Stop();
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BARRIER;
  call.name = "the end of training";
  return communicator_->Run(call);
}

bool RankGroup::SpeaksForTheDead() {
  for (uint32_t lower = 0; lower < rank(); ++lower) {
    if (!monitor_->HasDied(lower)) {
      return false;
    }
  }
  return true;
}

void RankGroup::Begin(uint32_t function, int64_t step) {
  board_.Begin(rank(), function, step);
}

uint64_t RankGroup::WorstPeak(uint64_t own_bytes) {
  board_.NotePeak(rank(), own_bytes);
  uint64_t worst = own_bytes;
  for (uint32_t other = 0; other < ranks(); ++other) {
    worst = std::max(worst, board_.PeakOf(other));
  }
  return worst;
}

void RankGroup::NoteInstruction(uint32_t stream, uint32_t instruction) {
  board_.Note(rank(), stream, instruction);
}

void RankGroup::SetWords(Words words) {
  std::lock_guard<std::mutex> lock(mutex_);
  words_ = std::move(words);
}

std::string RankGroup::LastKnown(uint32_t rank) const {
  const ProgressBoard::Position position = board_.Of(rank);
  if (!position.function) {
    return "before the first instruction";
  }
  const uint32_t function = *position.function;
  std::lock_guard<std::mutex> lock(mutex_);
  std::string text = words_.function ? words_.function(function, position.step)
                                     : absl::StrCat("in function ", function);
  absl::string_view separator = ", last at ";
  for (const std::optional<uint32_t>& instruction : position.instructions) {
    if (instruction) {
      absl::StrAppend(&text, separator,
                      words_.instruction
                          ? words_.instruction(function, *instruction)
                          : absl::StrCat("instruction ", *instruction));
      separator = " and ";
    }
  }
  return text;
}

}  // namespace accel::runtime
