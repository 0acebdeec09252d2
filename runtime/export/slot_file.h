// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One slot of all parameters, as weights or gradients, as a safetensors file
// under the names of the state dict.
#ifndef ACCEL_RUNTIME_EXPORT_SLOT_FILE_H_
#define ACCEL_RUNTIME_EXPORT_SLOT_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// A parameter and where one of its slots lies.
struct LocatedParameter {
  const planpb::Parameter* parameter = nullptr;
  ParameterPlace place;
};

// All parameters that have the slot; of gradients those that are trained, since
// statistics have there what microbatches add to them. Borrows: the plan.
absl::StatusOr<std::vector<LocatedParameter>> LocateParameters(
    const PlanView& plan, absl::string_view slot);

// Of the file that WriteSlotFile writes.
absl::StatusOr<uint64_t> SlotFileBytes(const PlanView& plan,
                                       absl::string_view slot);

// The file appears complete or not at all. `change`, if there is one, sees each
// piece before it is written.
absl::Status WriteSlotFile(
    Vfs& vfs, const PlanView& plan, absl::string_view slot,
    const ParameterReader& reader, const std::string& path, ExportRole role,
    const std::function<void(absl::Span<std::byte>)>& change = nullptr);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_SLOT_FILE_H_
