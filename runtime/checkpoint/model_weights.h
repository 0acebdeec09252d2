// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a model, from safetensors files that anybody has written, as the
// first parameters of a plan.
#ifndef ACCEL_RUNTIME_CHECKPOINT_MODEL_WEIGHTS_H_
#define ACCEL_RUNTIME_CHECKPOINT_MODEL_WEIGHTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/executor/executor.h"
#include "runtime/io/safetensors_set.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// What may be otherwise than the plan.
struct WeightsAllowance {
  bool missing = false;     // the plan's own initial values stay
  bool unexpected = false;  // not used
};

struct WeightsComparison {
  // A tensor, and what it is on each side: "f32 [33, 21]", or "none".
  struct Row {
    std::string name;
    std::string planned;
    std::string found;
  };
  // Parameters of the plan, in its order, that the files do not have.
  std::vector<Row> missing;
  // Tensors of the files that are no parameters.
  std::vector<Row> unexpected;
  // Both have them, with another shape, or with a type that does not become the
  // plan's: f16 and bf16 become f32, others have to be the same.
  std::vector<Row> mismatched;
  size_t fitting = 0;
};

// By the names of the state dict, which are those of an export.
absl::StatusOr<WeightsComparison> CompareWeights(const PlanView& plan,
                                                 const SafetensorsSet& weights);

// FailedPrecondition, with a table of all tensors that are not as the plan has
// them and not allowed to be otherwise. Where nothing fits, whatever is
// allowed.
absl::Status CheckWeights(const WeightsComparison& comparison,
                          const WeightsAllowance& allowance,
                          const std::string& path);

// For Executor::Initialize, part kParameters. Writes what the ranks of `rank`
// hold of each parameter that fits, and reads no more than that.
absl::Status LoadWeights(const PlanView& plan, const SafetensorsSet& weights,
                         Executor& rank);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_MODEL_WEIGHTS_H_
