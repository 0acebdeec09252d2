// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of a checkpoint as a file, without a run.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_RUN_EXPORT_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_RUN_EXPORT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

struct RunExportOptions {
  std::string run;
  std::string file;           // FILE.onnx or FILE.safetensors
  std::optional<int64_t> at;  // nothing: the newest intact one
  std::string plan;           // empty: the one that run.json names
  bool averages = false;      // of parameters, in their place
};

// Writes the bytes that accel-run --export would have written behind that step,
// and returns what to say of it. `warn` gets what the user should know besides.
// FailedPrecondition: what was asked for, as a plan of another model. Other
// errors are a file's.
absl::StatusOr<std::string> ExportFromRun(
    runtime::Vfs& vfs, const RunExportOptions& options,
    const std::function<void(absl::string_view)>& warn);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_RUN_EXPORT_H_
