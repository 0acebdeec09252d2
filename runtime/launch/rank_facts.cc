// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and values, each ended by a byte of zero; the rest is zero.
#include "runtime/launch/rank_facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Of a list that is read by people.
constexpr size_t kShown = 16;

const RankFact* Find(const RankFacts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(),
                   [&](const RankFact& fact) { return fact.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

std::string ValueText(const RankFact* fact) {
  return fact == nullptr ? "nothing" : absl::StrCat("'", fact->value, "'");
}

// How rank `rank` differs from rank 0, fact by fact.
void AddDifferences(const std::vector<RankFacts>& ranks, size_t rank,
                    std::vector<std::string>& differences) {
  const auto add = [&](const std::string& name, const RankFact* first,
                       const RankFact* other) {
    differences.push_back(absl::StrCat(name, ": rank 0 has ", ValueText(first),
                                       ", rank ", rank, " has ",
                                       ValueText(other)));
  };
  for (const RankFact& fact : ranks[0]) {
    const RankFact* other = Find(ranks[rank], fact.name);
    if (other == nullptr || other->value != fact.value) {
      add(fact.name, &fact, other);
    }
  }
  for (const RankFact& fact : ranks[rank]) {
    if (Find(ranks[0], fact.name) == nullptr) {
      add(fact.name, nullptr, &fact);
    }
  }
}

}  // namespace

absl::StatusOr<std::string> EncodeFacts(const RankFacts& facts) {
  std::string bytes;
  for (const RankFact& fact : facts) {
    absl::StrAppend(&bytes, fact.name, absl::string_view("\0", 1), fact.value,
                    absl::string_view("\0", 1));
  }
  if (bytes.size() > kFactsBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("what the ranks must agree on takes ", bytes.size(),
                     " bytes, expected at most ", kFactsBytes,
                     "; give fewer or shorter --set"));
  }
  bytes.resize(kFactsBytes);
  return bytes;
}

absl::StatusOr<RankFacts> DecodeFacts(absl::Span<const std::byte> bytes) {
  absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size());
  RankFacts facts;
  while (!text.empty() && text.front() != '\0') {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits('\0', 2));
    if (parts.size() != 3) {
      return absl::InvalidArgumentError(
          "the facts of a rank: expected pairs of names and values");
    }
    facts.push_back({std::string(parts[0]), std::string(parts[1])});
    text = parts[2];
  }
  return facts;
}

absl::Status CompareFacts(const std::vector<RankFacts>& ranks) {
  std::vector<std::string> differences;
  for (size_t rank = 1; rank < ranks.size(); ++rank) {
    AddDifferences(ranks, rank, differences);
  }
  if (differences.empty()) {
    return absl::OkStatus();
  }
  std::string text = "the ranks of a run must agree:";
  for (size_t i = 0; i < differences.size() && i < kShown; ++i) {
    absl::StrAppend(&text, "\n  - ", differences[i]);
  }
  if (differences.size() > kShown) {
    absl::StrAppend(&text, "\n  - and ", differences.size() - kShown, " more");
  }
  return absl::FailedPreconditionError(text);
}

}  // namespace accel::runtime
