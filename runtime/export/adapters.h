// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The low-rank pairs of a plan on their way out: as the two files of PEFT, or
// added to the weights that they stand beside.
#ifndef ACCEL_RUNTIME_EXPORT_ADAPTERS_H_
#define ACCEL_RUNTIME_EXPORT_ADAPTERS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Whether `path` has the name that PEFT looks for, adapter_model.safetensors.
bool IsAdapterFile(absl::string_view path);
// adapter_config.json, beside it.
std::string AdapterConfigPath(absl::string_view path);

// FailedPrecondition if the plan has no adapters.
absl::Status CheckAdapters(const PlanView& plan);
// Of the file that WriteAdapters writes. Requires: CheckAdapters.
absl::StatusOr<uint64_t> AdapterFileBytes(const PlanView& plan);
// What peft.LoraConfig reads. Requires: CheckAdapters.
std::string AdapterConfig(const planpb::Manifest& manifest);

// Both files, each complete or not at all, the configuration last.
// Requires: IsAdapterFile(path), CheckAdapters.
absl::Status WriteAdapters(Vfs& vfs, const PlanView& plan,
                           const ParameterReader& reader,
                           const std::string& path, ExportRole role);

// Adds alpha / rank * B A to `values`, all elements of f32 of parameter
// `index`; nothing if that has no pair. On a rank that only gives its parts
// `values` is empty.
absl::Status AddAdapter(const PlanView& plan, const ParameterReader& reader,
                        uint32_t index, absl::Span<std::byte> values);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_ADAPTERS_H_
