// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trained model as a file, by the ending of its name: .onnx is the original
// graph, .safetensors the weights under their original names; of the name that
// PEFT looks for, the adapters alone.
#ifndef ACCEL_RUNTIME_EXPORT_MODEL_FILE_H_
#define ACCEL_RUNTIME_EXPORT_MODEL_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Whether the plan can be exported to a file of this name.
absl::Status CheckModelFile(const Plan& plan, const std::string& path);
// ResourceExhausted without room for it. Requires: CheckModelFile.
absl::Status CheckModelRoom(Vfs& vfs, const Plan& plan,
                            const std::string& path);

// What is written for this name: the file, and what PEFT wants beside it.
std::vector<std::string> ListModelFiles(const std::string& path);

// Each file appears complete or not at all. Requires: CheckModelFile.
absl::Status WriteModelFile(Vfs& vfs, const Plan& plan,
                            const ParameterReader& reader,
                            const std::string& path, ExportRole role);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_MODEL_FILE_H_
