// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One hash per rank, one small gather per step.
#include "runtime/executor/step_digest.h"

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

absl::Status CompareDigests(Communicator& communicator, int64_t step,
                            uint64_t digest) {
  std::vector<uint64_t> all(communicator.ranks());
  const std::string name = absl::StrCat("digest of step ", step + 1);
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kI64;
  call.elements = all.size();
  call.name = name;
  call.input = absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&digest),
                                   sizeof digest);
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(all.data()),
                               all.size() * sizeof(uint64_t));
  RETURN_IF_ERROR(communicator.Run(call));
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      return absl::FailedPreconditionError(
          absl::StrCat("step ", step + 1,
                       ": expected the same samples on all ranks, got "
                       "digest ",
                       absl::Hex(all[rank], absl::kZeroPad16), " on rank ",
                       rank, " and ", absl::Hex(all[0], absl::kZeroPad16),
                       " on rank 0: they are out of step"));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
