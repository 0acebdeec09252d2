// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding, marking and locking of run directories.
#include "runtime/report/run_directory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kLock = "lock";
constexpr absl::string_view kMarker = "accel-run.json";
constexpr absl::string_view kMetrics = "metrics.jsonl";
constexpr absl::string_view kRecord = "run.json";

// What the marker holds.
std::string MarkerContent() {
  const nlohmann::ordered_json marker = {{"format", "accel run directory"},
                                         {"version", 2}};
  return marker.dump();
}

// What a run that is just starting may have left so far.
bool IsOfStartingRun(const std::string& name) {
  return name == kLock ||
         absl::StartsWith(name, absl::StrCat(".", kMarker, ".tmp-"));
}

bool HasMarker(const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), kMarker) != names.end();
}

// Looks before anything is created, so a foreign folder stays as it is.
absl::Status RefuseForeign(const std::string& path,
                           const std::vector<std::string>& names) {
  if (HasMarker(names)) {
    return absl::OkStatus();
  }
  std::string shown;
  size_t foreign = 0;
  for (const std::string& name : names) {
    if (IsOfStartingRun(name)) {
      continue;
    }
    if (++foreign <= 3) {
      absl::StrAppend(&shown, foreign > 1 ? ", " : "", "'", name, "'");
    }
  }
  if (foreign == 0) {
    return absl::OkStatus();
  }
  if (foreign > 3) {
    absl::StrAppend(&shown, " and ", foreign - 3, " more");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "run directory '", path, "': expected a new, empty or earlier run's ",
      "directory, got one with other files (", shown,
      "); nothing was changed; choose another --run-dir"));
}

// FailedPrecondition for another version; `remedy` ends the message.
absl::Status CheckMarker(Vfs& vfs, const std::string& marker,
                         absl::string_view remedy) {
  ASSIGN_OR_RETURN(const std::string content, ReadWholeFile(vfs, marker, 4096));
  const std::string expected = MarkerContent();
  if (content == expected + "\n") {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("'", marker, "': expected ", expected, ", got ",
                   absl::StripSuffix(content, "\n"),
                   "; it is of another version, ", remedy));
}

// Metrics of two runs in one file would be those of neither.
absl::Status RefuseSteps(Vfs& vfs, const std::string& path) {
  const absl::StatusOr<FileStat> metrics = vfs.Stat(JoinPath(path, kMetrics));
  if (!metrics.ok() || metrics->size == 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "run directory '", path, "': expected one without a run, got one that ",
      "holds the steps of a run; nothing was changed; go on with that run ",
      "(--resume=auto), choose another --run-dir, or remove the directory"));
}

absl::Status InUse(const std::string& path, const absl::Status& lock) {
  return absl::FailedPreconditionError(absl::StrCat(
      "run directory '", path, "' is in use: ", lock.message(),
      "; wait for that run, stop it, or choose another --run-dir"));
}

// Makes <parent>/<PLAN>-NNN with the first number that is free.
absl::StatusOr<std::string> MakeNumbered(Vfs& vfs,
                                         const RunDirectoryOptions& options) {
  RETURN_IF_ERROR(MakeDirectories(vfs, options.parent));
  std::string plan = FileStem(options.plan_path);
  if (plan.empty() || plan == "." || plan == ".." || plan == "/") {
    plan = "run";
  }
  for (int number = 1;; ++number) {
    std::string path =
        JoinPath(options.parent, absl::StrFormat("%s-%03d", plan, number));
    absl::Status made = vfs.MakeDirectory(path);
    if (made.ok()) {
      RETURN_IF_ERROR(vfs.SyncDirectory(options.parent));
      return path;
    }
    if (!absl::IsAlreadyExists(made)) {
      return made;
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunDirectory>> RunDirectory::Open(
    Vfs& vfs, const RunDirectoryOptions& options) {
  if (options.path.empty()) {
    ASSIGN_OR_RETURN(std::string path, MakeNumbered(vfs, options));
    return Enter(vfs, std::move(path), options.resumes);
  }
  RETURN_IF_ERROR(MakeDirectories(vfs, options.path));
  return Enter(vfs, options.path, options.resumes);
}

absl::Status RunDirectory::Check(Vfs& vfs, const RunDirectoryOptions& options) {
  const std::string path = options.path.empty() ? options.parent : options.path;
  const std::string there = NearestThere(vfs, path);
  ASSIGN_OR_RETURN(const FileStat stat, vfs.Stat(there));
  if (!stat.is_directory) {
    return absl::FailedPreconditionError(
        absl::StrCat("run directory '", path, "': expected a folder, got '",
                     there, "', which is none; choose another --run-dir"));
  }
  RETURN_IF_ERROR(vfs.CheckWritable(there));
  if (options.path.empty() || there != path) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, vfs.List(path));
  RETURN_IF_ERROR(RefuseForeign(path, names));
  if (!HasMarker(names)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(
      CheckMarker(vfs, JoinPath(path, kMarker), "choose another --run-dir"));
  // Of a run that goes on this opens the file that is there.
  const auto lock = vfs.TryLock(JoinPath(path, kLock));
  if (absl::IsFailedPrecondition(lock.status())) {
    return InUse(path, lock.status());
  }
  return options.resumes ? absl::OkStatus() : RefuseSteps(vfs, path);
}

absl::Status RunDirectory::CheckIsOne(Vfs& vfs, const std::string& path) {
  const std::string marker = JoinPath(path, kMarker);
  if (vfs.Stat(marker).ok()) {
    const absl::Status status =
        CheckMarker(vfs, marker, "use the release that wrote it");
    return absl::IsFailedPrecondition(status)
               ? absl::UnimplementedError(status.message())
               : status;
  }
  const auto folder = vfs.Stat(path);
  return absl::NotFoundError(
      absl::StrCat("'", path, "': expected a run directory of accel-run, got ",
                   !folder.ok() ? "no such folder"
                   : !folder->is_directory
                       ? "a file"
                       : absl::StrCat("a folder without '", kMarker, "'"),
                   "; name the folder that accel-run prints behind 'run'"));
}

absl::StatusOr<std::unique_ptr<RunDirectory>> RunDirectory::Enter(
    Vfs& vfs, std::string path, bool resumes) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, vfs.List(path));
  RETURN_IF_ERROR(RefuseForeign(path, names));
  auto lock = vfs.TryLock(JoinPath(path, kLock));
  if (absl::IsFailedPrecondition(lock.status())) {
    return InUse(path, lock.status());
  }
  RETURN_IF_ERROR(lock.status());
  // Again, as the run that held the lock until now may have left its marker.
  ASSIGN_OR_RETURN(names, vfs.List(path));
  const std::string marker = JoinPath(path, kMarker);
  RETURN_IF_ERROR(
      HasMarker(names)
          ? CheckMarker(vfs, marker, "choose another --run-dir")
          : WriteFileAtomically(vfs, marker, MarkerContent() + "\n"));
  RETURN_IF_ERROR(resumes ? absl::OkStatus() : RefuseSteps(vfs, path));
  return std::unique_ptr<RunDirectory>(
      new RunDirectory(std::move(path), *std::move(lock)));
}

RunDirectory::RunDirectory(std::string path, std::unique_ptr<FileLock> lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

std::vector<std::string> RunDirectory::FilesIn(const std::string& path) {
  std::vector<std::string> paths;
  for (const absl::string_view name : {kLock, kMarker, kMetrics, kRecord}) {
    paths.push_back(JoinPath(path, name));
  }
  return paths;
}

std::string RunDirectory::metrics_path() const { return File(kMetrics); }

std::string RunDirectory::record_path() const { return File(kRecord); }

std::string RunDirectory::File(absl::string_view name) const {
  return JoinPath(path_, name);
}

}  // namespace accel::runtime
