// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters by name: their values and gradients as whole tensors, wherever the
// plan keeps them.
#ifndef ACCEL_RUNTIME_EXECUTOR_PARAMETERS_H_
#define ACCEL_RUNTIME_EXECUTOR_PARAMETERS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/dtype.h"
#include "runtime/executor/executor.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Where one slot of a parameter lies.
struct ParameterPlace {
  SlotTensor slot;
  uint64_t first = 0;  // element of the slot
  uint64_t elements = 0;
  DType dtype = DType::kF32;
};

// The place of `slot` ("master", "gradient", ...) of a parameter, or nothing if
// its segment has no such slot.
absl::StatusOr<std::optional<ParameterPlace>> FindParameter(
    const PlanView& plan, const planpb::Parameter& parameter,
    absl::string_view slot);

// Whether ranks hold parts of that slot of any parameter, so that ranks that
// are processes have to read it together.
bool IsSharded(const PlanView& plan, absl::string_view slot);

// Elements [first, first + elements) of the place; `dst` as
// Executor::ReadTensor says.
absl::Status ReadParameter(const Executor& executor,
                           const ParameterPlace& place, uint64_t first,
                           uint64_t elements, absl::Span<std::byte> dst);

// Writes a hyperparameter.
absl::Status SetScalar(Executor& executor, uint32_t buffer, double value);
absl::StatusOr<double> GetScalar(const Executor& executor, uint32_t buffer);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_PARAMETERS_H_
