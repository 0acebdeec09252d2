// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all ranks of a run must agree on, and how their differences are named.
#ifndef ACCEL_RUNTIME_LAUNCH_RANK_FACTS_H_
#define ACCEL_RUNTIME_LAUNCH_RANK_FACTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace accel::runtime {

struct RankFact {
  std::string name;   // "--seed", "plan sha256"
  std::string value;  // without a byte of zero

  friend bool operator==(const RankFact&, const RankFact&) = default;
};

using RankFacts = std::vector<RankFact>;

// Every rank's facts take this much.
inline constexpr size_t kFactsBytes = 16384;

// kFactsBytes bytes. ResourceExhausted if they do not fit.
absl::StatusOr<std::string> EncodeFacts(const RankFacts& facts);
// InvalidArgument for whatever EncodeFacts does not write.
absl::StatusOr<RankFacts> DecodeFacts(absl::Span<const std::byte> bytes);

// FailedPrecondition names every fact in which some rank differs from rank 0,
// with both values. The same on all ranks.
absl::Status CompareFacts(const std::vector<RankFacts>& ranks);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RANK_FACTS_H_
