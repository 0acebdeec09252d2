// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a microbatch, as a rank's memory wants them.
#ifndef ACCEL_RUNTIME_EXECUTOR_MICROBATCH_READER_H_
#define ACCEL_RUNTIME_EXECUTOR_MICROBATCH_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/data/dataset.h"
#include "runtime/executor/batch_plan.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// The fields of a plan's signature that come from the data set, in its order.
std::vector<SignatureField> DataSignature(const planpb::Manifest& manifest);

// Threads: everything may be called from any thread.
class MicrobatchReader {
 public:
  // Borrows: plan and data set.
  // Requires: the data set was opened with DataSignature(plan.manifest()).
  MicrobatchReader(const PlanView& plan, const Dataset& dataset,
                   const BatchPlan& batch, int64_t seed);

  const Dataset& dataset() const { return dataset_; }
  const BatchPlan& batch() const { return batch_; }
  int64_t seed() const { return seed_; }

  // Field `field` of the signature, of all rows of microbatch `iteration` of
  // `step` that are this rank's. Allocates nothing unless it fails.
  absl::Status Read(uint32_t field, int64_t step, int64_t iteration,
                    absl::Span<std::byte> dst) const;

 private:
  void FillBuiltin(const planpb::SignatureField& field, int64_t step,
                   int64_t iteration, absl::Span<std::byte> dst) const;

  const PlanView& plan_;
  const Dataset& dataset_;
  const BatchPlan batch_;
  const int64_t seed_;
  // Per field of the plan's signature, its index in the data set's.
  std::vector<std::optional<size_t>> dataset_fields_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_MICROBATCH_READER_H_
