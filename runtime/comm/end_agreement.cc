// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All accesses are in one order: who begins a piece says so and then looks
// whether somebody decides; who decides says so and then looks what has begun.
// One of the two sees the other.
#include "runtime/comm/end_agreement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

void RaiseTo(std::atomic<uint64_t>& word, uint64_t value) {
  uint64_t before = word.load();
  while (before < value && !word.compare_exchange_weak(before, value)) {
  }
}

}  // namespace

EndAgreement::EndAgreement(EndWords& words,
                           std::vector<std::atomic<uint64_t>*> begun,
                           uint32_t rank, std::chrono::nanoseconds timeout)
    : words_(words), begun_(std::move(begun)), rank_(rank), timeout_(timeout) {}

void EndAgreement::Decide() {
  uint64_t last = 0;
  for (const std::atomic<uint64_t>* begun : begun_) {
    last = std::max(last, begun->load());
  }
  words_.end.store(last + 1);
}

absl::StatusOr<uint64_t> EndAgreement::Begin(
    uint64_t piece, bool ends, absl::FunctionRef<absl::Status()> health) {
  RaiseTo(*begun_[rank_], piece);
  if (ends && words_.deciding.exchange(1) == 0) {
    Decide();
  }
  if (words_.deciding.load() == 0) {
    return kNone;
  }
  RETURN_IF_ERROR(PollUntil(
      Deadline::After(timeout_),
      [] {
        return std::string("a rank to decide which microbatch is the last");
      },
      [&]() -> absl::StatusOr<bool> {
        RETURN_IF_ERROR(health());
        return words_.end.load() != 0;
      }));
  return words_.end.load();
}

}  // namespace accel::runtime
