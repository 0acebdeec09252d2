// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions by age, and their proof.
#include "passes/Schedule/BucketSessions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace llvm;

namespace accel {

std::vector<BucketSession> BucketUses::solve() const {
  std::vector<BucketSession> sessions;
  std::array<int, kBucketSlots> current;
  current.fill(-1);
  for (unsigned i = 0; i < instructions.size(); ++i) {
    auto isCurrent = [&](unsigned bucket) {
      return llvm::any_of(current, [&](int session) {
        return session >= 0 && sessions[session].bucket == bucket;
      });
    };
    // What is there stays there for this instruction.
    for (int session : current) {
      if (session >= 0 &&
          llvm::is_contained(instructions[i], sessions[session].bucket)) {
        sessions[session].last = i;
      }
    }
    for (unsigned bucket : instructions[i]) {
      if (isCurrent(bucket)) {
        continue;
      }
      auto age = [&](int session) {
        return session < 0 ? -1 : static_cast<int>(sessions[session].last);
      };
      auto *oldest = llvm::min_element(
          current, [&](int left, int right) { return age(left) < age(right); });
      auto slot = static_cast<unsigned>(oldest - current.begin());
      sessions.push_back({bucket, slot, i, i, *oldest});
      *oldest = static_cast<int>(sessions.size()) - 1;
    }
  }
  return sessions;
}

/// Sessions of a slot do not overlap: the one before is the latest one that
/// ends in front of `session`. -1: none.
static int findBefore(const std::vector<BucketSession> &sessions,
                      const BucketSession &session) {
  int before = -1;
  for (auto [j, other] : llvm::enumerate(sessions)) {
    bool isInFront = other.slot == session.slot && other.last < session.first;
    if (isInFront && (before < 0 || sessions[before].last < other.last)) {
      before = static_cast<int>(j);
    }
  }
  return before;
}

std::string
BucketUses::verify(const std::vector<BucketSession> &sessions) const {
  for (auto [i, buckets] : llvm::enumerate(instructions)) {
    for (unsigned bucket : buckets) {
      auto covering = llvm::count_if(sessions, [&, at = i](const auto &each) {
        return each.bucket == bucket && each.first <= at && at <= each.last;
      });
      if (covering != 1) {
        return formatv("expected bucket {0} in one slot at instruction {1}, "
                       "got it in {2}",
                       bucket, i, covering);
      }
    }
  }
  for (auto [i, session] : llvm::enumerate(sessions)) {
    if (session.slot >= kBucketSlots || session.last < session.first ||
        session.last >= instructions.size()) {
      return formatv("session {0} has no slot or no use", i);
    }
    for (size_t j = 0; j < i; ++j) {
      const BucketSession &other = sessions[j];
      if (other.slot == session.slot && other.last >= session.first &&
          session.last >= other.first) {
        return formatv("expected one bucket in slot {0}, got {1} and {2} at "
                       "instruction {3}",
                       session.slot, other.bucket, session.bucket,
                       std::max(other.first, session.first));
      }
    }
    int before = findBefore(sessions, session);
    if (session.before != before) {
      return formatv("expected session {0} behind {1} in its slot, got behind "
                     "{2}",
                     i, before, session.before);
    }
  }
  return "";
}

} // namespace accel
