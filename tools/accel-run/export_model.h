// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run writes of its model at the end, and of its gradients.
#ifndef ACCEL_TOOLS_ACCEL_RUN_EXPORT_MODEL_H_
#define ACCEL_TOOLS_ACCEL_RUN_EXPORT_MODEL_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/executor/executor.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::tools {

using runtime::ExportRole;

// Whether the plan can be exported to a file of this name: its ending, its
// size, and the room for it. To be asked before training.
absl::Status CheckExport(runtime::Vfs& vfs, const runtime::Plan& plan,
                         const std::string& path);

// Writes parameters as they are now. The file appears complete or not at all.
// Requires: CheckExport accepted the path.
absl::Status ExportModel(runtime::Vfs& vfs, const runtime::Plan& plan,
                         const runtime::Executor& executor,
                         const std::string& path, ExportRole role);

// The same of averages of parameters; refuses a plan that keeps none.
absl::Status CheckAverageExport(runtime::Vfs& vfs, const runtime::Plan& plan,
                                const std::string& path);
absl::Status ExportAverages(runtime::Vfs& vfs, const runtime::Plan& plan,
                            const runtime::Executor& executor,
                            const std::string& path, ExportRole role);

// Whether the plan can say what its gradients are, the name's ending, and the
// room.
absl::Status CheckGradients(runtime::Vfs& vfs, const runtime::Plan& plan,
                            const std::string& path);
// The gradients of the exact mean loss, as the slots hold them now.
// Requires: called at the point that Function.gradients_complete names.
absl::Status DumpGradients(runtime::Vfs& vfs, const runtime::Plan& plan,
                           const runtime::Executor& executor,
                           const std::string& path, ExportRole role);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_EXPORT_MODEL_H_
