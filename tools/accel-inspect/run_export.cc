// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a checkpoint and the plan, checks that they fit, and writes.
#include "tools/accel-inspect/run_export.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/amount.h"
#include "runtime/base/errors.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/export/averages.h"
#include "runtime/export/checkpoint_model.h"
#include "runtime/export/model_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/path.h"
#include "runtime/plan/plan.h"
#include "runtime/report/run_directory.h"
#include "tools/accel-inspect/run_contents.h"

namespace accel::tools {
namespace {

using Warn = std::function<void(absl::string_view)>;

// Something else has to be asked for.
absl::Status AsRequest(const absl::Status& status) {
  return status.ok() ? status : absl::FailedPreconditionError(status.message());
}

std::string OptionAndFile(const RunExportOptions& options) {
  return absl::StrCat("--export ", options.file);
}

// The steps to try, the newest first.
absl::StatusOr<std::vector<int64_t>> Candidates(
    runtime::Vfs& vfs, const RunExportOptions& options) {
  ASSIGN_OR_RETURN(std::vector<int64_t> steps,
                   ListCheckpoints(vfs, options.run));
  if (steps.empty()) {
    return absl::NotFoundError(
        absl::StrCat("'", options.run,
                     "': expected a checkpoint, got none; accel-run "
                     "--checkpoint-every saves them"));
  }
  if (!options.at) {
    return steps;
  }
  if (std::find(steps.begin(), steps.end(), *options.at) == steps.end()) {
    std::reverse(steps.begin(), steps.end());
    return absl::NotFoundError(absl::StrCat(
        "--at ", *options.at, ": expected the step of a checkpoint of '",
        options.run, "', which are ", absl::StrJoin(steps, ", ")));
  }
  return std::vector<int64_t>{*options.at};
}

absl::StatusOr<FoundCheckpoint> FindIntact(runtime::Vfs& vfs,
                                           const RunExportOptions& options,
                                           const Warn& warn) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps, Candidates(vfs, options));
  for (const int64_t step : steps) {
    auto found =
        ReadCheckpoint(vfs, options.run, step, runtime::DamageSearch::kData);
    if (found && found->IsIntact()) {
      return *std::move(found);
    }
    if (found) {
      warn(absl::StrCat("the checkpoint of step ", step,
                        " is damaged: ", absl::StrJoin(found->faults, "; ")));
    }
  }
  return absl::DataLossError(
      options.at
          ? absl::StrCat("--at ", *options.at,
                         ": expected an intact checkpoint, got a damaged one; "
                         "choose another step, accel-inspect run ",
                         options.run, " lists them")
          : absl::StrCat("'", options.run,
                         "': expected an intact checkpoint, "
                         "got ",
                         runtime::Amount(static_cast<int64_t>(steps.size()),
                                         "damaged one")));
}

absl::StatusOr<std::string> PlanPath(runtime::Vfs& vfs,
                                     const RunExportOptions& options) {
  if (!options.plan.empty()) {
    return options.plan;
  }
  const auto record = ReadRecord(vfs, options.run);
  std::string path = record.ok() ? record->Find("plan") : "";
  if (path.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "'", options.run, "': expected the path of the plan in run.json, got ",
        record.ok() ? "none" : record.status().message(),
        "; name the plan (--plan PLAN)"));
  }
  return path;
}

absl::StatusOr<std::unique_ptr<runtime::Plan>> OpenPlan(
    runtime::Vfs& vfs, const RunExportOptions& options) {
  ASSIGN_OR_RETURN(const std::string path, PlanPath(vfs, options));
  auto plan = runtime::Plan::Open(vfs, path, runtime::WeightCheck::kWhenRead);
  if (!plan.ok()) {
    return absl::Status(
        absl::IsUnimplemented(plan.status()) ? plan.status().code()
                                             : absl::StatusCode::kDataLoss,
        options.plan.empty()
            ? absl::StrCat(plan.status().message(),
                           "; run.json names this plan, --plan PLAN another "
                           "one or another place")
            : std::string(plan.status().message()));
  }
  return plan;
}

// The file is none of those that are read.
absl::Status CheckOutput(runtime::Vfs& vfs, const RunExportOptions& options,
                         const runtime::Plan& plan,
                         const FoundCheckpoint& checkpoint) {
  runtime::OutputFiles files(vfs);
  RETURN_IF_ERROR(files.AddInput("plan", plan.path()));
  for (const std::string& path : runtime::RunDirectory::FilesIn(options.run)) {
    RETURN_IF_ERROR(files.AddInput("the run's", path));
  }
  std::vector<std::string> names = {runtime::kManifestName};
  for (const runtime::CheckpointFile& file : checkpoint.manifest->files) {
    names.push_back(file.name);
  }
  for (const std::string& name : names) {
    RETURN_IF_ERROR(files.AddInput("the checkpoint's",
                                   runtime::JoinPath(checkpoint.folder, name)));
  }
  for (const std::string& path : runtime::ListModelFiles(options.file)) {
    RETURN_IF_ERROR(files.AddOutput("--export", path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ExportFromRun(runtime::Vfs& vfs,
                                          const RunExportOptions& options,
                                          const Warn& warn) {
  RETURN_IF_ERROR(runtime::RunDirectory::CheckIsOne(vfs, options.run));
  ASSIGN_OR_RETURN(const FoundCheckpoint found, FindIntact(vfs, options, warn));
  ASSIGN_OR_RETURN(const auto plan, OpenPlan(vfs, options));
  ASSIGN_OR_RETURN(const auto checkpoint,
                   runtime::Checkpoint::Open(vfs, found.folder));
  RETURN_IF_ERROR(AsRequest(
      runtime::Annotate(runtime::CheckModelOf(plan->view(), *checkpoint),
                        absl::StrCat("plan '", plan->path(), "'"))));
  if (options.averages) {
    RETURN_IF_ERROR(runtime::CheckAverages(*checkpoint));
  }
  RETURN_IF_ERROR(AsRequest(runtime::Annotate(
      runtime::CheckModelFile(*plan, options.file), OptionAndFile(options))));
  RETURN_IF_ERROR(AsRequest(CheckOutput(vfs, options, *plan, found)));
  RETURN_IF_ERROR(
      runtime::Annotate(runtime::CheckModelRoom(vfs, *plan, options.file),
                        OptionAndFile(options)));
  if (runtime::ToHex(plan->root()) != found.manifest->plan_sha256) {
    warn(
        absl::StrCat("'", plan->path(),
                     "' is another plan than the one that was trained, of a "
                     "model with the same parameters; the file has its graph"));
  }
  RETURN_IF_ERROR(runtime::WriteModelFile(
      vfs, *plan,
      options.averages ? runtime::ReadAveragesFrom(*checkpoint)
                       : runtime::ReadFrom(*checkpoint),
      options.file, runtime::ExportRole::kWriter));
  return absl::StrCat(options.file, ": the ",
                      options.averages ? "averages" : "model", " behind step ",
                      found.step, ", from '", found.folder, "'\n");
}

}  // namespace accel::tools
