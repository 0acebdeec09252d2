// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One hash per rank, one small gather per step.
#include "runtime/executor/step_digest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

uint64_t StepDigest(const Dataset& dataset, const BatchPlan& batch,
                    int64_t step, int64_t seed) {
  Sha256 hash;
  hash.UpdateInteger(static_cast<uint64_t>(step));
  hash.UpdateInteger(static_cast<uint64_t>(seed));
  hash.UpdateInteger(dataset.identity().size());
  hash.Update(dataset.identity());
  const int64_t end = batch.FirstSample(step + 1);
  for (int64_t sample = batch.FirstSample(step); sample < end; ++sample) {
    hash.UpdateInteger(static_cast<uint64_t>(dataset.RowOf(sample)));
  }
  const Sha256Digest digest = hash.Finish();
  uint64_t first = 0;
  std::memcpy(&first, digest.data(), sizeof first);
  return first >> 1;
}

absl::StatusOr<std::chrono::nanoseconds> CompareDigests(
    Communicator& communicator, int64_t step, uint64_t digest,
    std::chrono::nanoseconds data_wait) {
  // Of each rank its digest and its wait.
  const std::array<uint64_t, 2> own = {
      digest, static_cast<uint64_t>(data_wait.count())};
  std::vector<std::array<uint64_t, 2>> all(communicator.ranks());
  const std::string name = absl::StrCat("digest of step ", step + 1);
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kI64;
  call.elements = all.size() * own.size();
  call.name = name;
  call.input =
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&own), sizeof own);
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(all.data()),
                               all.size() * sizeof own);
  RETURN_IF_ERROR(communicator.Run(call));
  uint64_t longest = all[0][1];
  for (size_t rank = 1; rank < all.size(); ++rank) {
    longest = std::max(longest, all[rank][1]);
    if (all[rank][0] != all[0][0]) {
      return absl::FailedPreconditionError(
          absl::StrCat("step ", step + 1,
                       ": expected the same samples on all ranks, got "
                       "digest ",
                       absl::Hex(all[rank][0], absl::kZeroPad16), " on rank ",
                       rank, " and ", absl::Hex(all[0][0], absl::kZeroPad16),
                       " on rank 0: they are out of step"));
    }
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(longest));
}

}  // namespace accel::runtime
