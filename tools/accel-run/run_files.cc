// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the names of all files of a run.
#include "tools/accel-run/run_files.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/data_files.h"
#include "runtime/device/tuned_products.h"
#include "runtime/export/model_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/output_target.h"
#include "runtime/io/path.h"
#include "runtime/io/safetensors_set.h"
#include "runtime/report/run_directory.h"

namespace accel::tools {
namespace {

absl::Status AddData(runtime::Vfs& vfs, runtime::OutputFiles& files,
                     const std::string& name,
                     const std::vector<std::string>& flags) {
  for (const std::string& path : runtime::ListDataFiles(vfs, flags)) {
    RETURN_IF_ERROR(files.AddInput(name, path));
  }
  return absl::OkStatus();
}

absl::Status AddWeights(runtime::Vfs& vfs, runtime::OutputFiles& files,
                        const std::string& weights) {
  if (weights.empty()) {
    return absl::OkStatus();
  }
  // Of an index that cannot be read, that is said when it is.
  const auto found = runtime::SafetensorsSet::ListFiles(vfs, weights);
  for (const std::string& path :
       found.ok() ? *found : std::vector<std::string>{weights}) {
    RETURN_IF_ERROR(files.AddInput("--weights", path));
  }
  return absl::OkStatus();
}

absl::Status AddInputs(runtime::Vfs& vfs, runtime::OutputFiles& files,
                       const RunOptions& options, const runtime::Plan* plan) {
  RETURN_IF_ERROR(files.AddInput("plan", options.plan));
  if (!options.tune) {
    RETURN_IF_ERROR(
        files.AddInput("tuned products", runtime::TunedPath(options.plan)));
  }
  RETURN_IF_ERROR(AddData(vfs, files, "--data", options.data));
  RETURN_IF_ERROR(AddData(vfs, files, "--eval-data", options.eval_data));
  RETURN_IF_ERROR(AddWeights(vfs, files, options.weights));
  if (plan == nullptr) {
    return absl::OkStatus();
  }
  const std::string folder = options.weights_dir.empty()
                                 ? runtime::ParentDirectory(options.plan)
                                 : options.weights_dir;
  for (const auto& external : plan->manifest().external_files()) {
    RETURN_IF_ERROR(files.AddInput("weights of the plan",
                                   runtime::JoinPath(folder, external.path())));
  }
  return absl::OkStatus();
}

absl::Status AddTraces(runtime::Vfs& vfs, runtime::OutputFiles& files,
                       const RunOptions& options, uint32_t processes) {
  if (options.trace.empty()) {
    return absl::OkStatus();
  }
  for (uint32_t rank = 0; rank < processes; ++rank) {
    RETURN_IF_ERROR(files.AddOutput("--trace", TracePath(options.trace, rank)));
  }
  if (processes > 1 && !runtime::ResolveOutput(vfs, options.trace)->replaced) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--trace ", options.trace,
        ": expected the name of a file, to which each of ", processes,
        " ranks adds .rank-N, got a device or pipe; choose a file"));
  }
  return absl::OkStatus();
}

// Folders that are still to be made hold nothing yet.
bool IsFolder(runtime::Vfs& vfs, const std::string& path) {
  const auto stat = vfs.Stat(path);
  return stat.ok() && stat->is_directory;
}

absl::Status AddFolders(runtime::Vfs& vfs, runtime::OutputFiles& files,
                        const RunOptions& options, uint32_t processes) {
  if (IsFolder(vfs, options.run_dir)) {
    for (const std::string& path :
         runtime::RunDirectory::FilesIn(options.run_dir)) {
      RETURN_IF_ERROR(files.AddOutput("the run's", path));
    }
    if (options.profile && options.trace.empty()) {
      RETURN_IF_ERROR(files.AddOutput(
          "the run's", runtime::JoinPath(options.run_dir, "trace.json")));
    }
  }
  if (IsFolder(vfs, options.log_dir)) {
    for (uint32_t rank = 0; rank < processes; ++rank) {
      RETURN_IF_ERROR(files.AddOutput(
          "--log-dir", runtime::JoinPath(options.log_dir,
                                         absl::StrCat("rank-", rank, ".log"))));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string TracePath(const std::string& path, uint32_t rank) {
  return rank == 0 ? path : absl::StrCat(path, ".rank-", rank);
}

absl::Status CheckRunFiles(runtime::Vfs& vfs, const RunOptions& options,
                           uint32_t processes, const runtime::Plan* plan) {
  runtime::OutputFiles files(vfs);
  RETURN_IF_ERROR(AddInputs(vfs, files, options, plan));
  RETURN_IF_ERROR(AddFolders(vfs, files, options, processes));
  if (options.tune) {
    RETURN_IF_ERROR(
        files.AddOutput("--tune", runtime::TunedPath(options.plan)));
  }
  if (!options.export_path.empty()) {
    for (const std::string& path :
         runtime::ListModelFiles(options.export_path)) {
      RETURN_IF_ERROR(files.AddOutput("--export", path));
    }
  }
  if (!options.export_ema.empty()) {
    RETURN_IF_ERROR(files.AddOutput("--export-ema", options.export_ema));
  }
  if (!options.dump_gradients.empty()) {
    RETURN_IF_ERROR(
        files.AddOutput("--dump-gradients", options.dump_gradients));
  }
  return AddTraces(vfs, files, options, processes);
}

bool WritesToStandardOutput(runtime::Vfs& vfs, const RunOptions& options) {
  for (const std::string* path : {&options.export_path, &options.export_ema,
                                  &options.dump_gradients, &options.trace}) {
    if (!path->empty() && runtime::IsStandardOutput(vfs, *path)) {
      return true;
    }
  }
  return false;
}

}  // namespace accel::tools
