// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One part after the other; what cannot be read of one hides none of the rest.
#include "tools/accel-inspect/run_contents.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/report/run_directory.h"

namespace accel::tools {
namespace {

constexpr uint64_t kMostRecordBytes = uint64_t{16} << 20;
constexpr uint64_t kMostMetricsBytes = uint64_t{1} << 30;

absl::StatusOr<std::vector<MetricsStep>> ReadSteps(runtime::Vfs& vfs,
                                                   const std::string& run) {
  const std::string path = runtime::JoinPath(run, "metrics.jsonl");
  const auto stat = vfs.Stat(path);
  if (absl::IsNotFound(stat.status()) || (stat.ok() && stat->size == 0)) {
    return std::vector<MetricsStep>();
  }
  ASSIGN_OR_RETURN(const std::string text,
                   runtime::ReadWholeFile(vfs, path, kMostMetricsBytes));
  ASSIGN_OR_RETURN(const std::vector<MetricsRun> starts,
                   ParseMetrics(path, text));
  std::vector<MetricsStep> steps;
  for (const MetricsRun& start : starts) {
    steps.insert(steps.end(), start.steps.begin(), start.steps.end());
  }
  return steps;
}

}  // namespace

uint64_t FoundCheckpoint::Bytes() const {
  uint64_t bytes = 0;
  if (manifest) {
    for (const runtime::CheckpointFile& file : manifest->files) {
      bytes += file.bytes;
    }
  }
  return bytes;
}

const FoundCheckpoint* RunContents::NewestIntact() const {
  for (const FoundCheckpoint& checkpoint : checkpoints) {
    if (checkpoint.IsIntact()) {
      return &checkpoint;
    }
  }
  return nullptr;
}

absl::StatusOr<std::vector<int64_t>> ListCheckpoints(runtime::Vfs& vfs,
                                                     const std::string& run) {
  return runtime::CheckpointStore(vfs, run).List();
}

std::optional<FoundCheckpoint> ReadCheckpoint(runtime::Vfs& vfs,
                                              const std::string& run,
                                              int64_t step,
                                              runtime::DamageSearch search) {
  FoundCheckpoint found;
  found.step = step;
  found.folder = runtime::CheckpointStore(vfs, run).Folder(step);
  auto manifest = runtime::ReadManifest(vfs, found.folder);
  if (manifest.ok()) {
    found.faults = runtime::FindDamage(vfs, found.folder, *manifest, search);
    found.manifest = *std::move(manifest);
  } else {
    found.faults.emplace_back(manifest.status().message());
  }
  if (!found.faults.empty() &&
      absl::IsNotFound(vfs.Stat(found.folder).status())) {
    return std::nullopt;
  }
  return found;
}

absl::StatusOr<RunRecord> ReadRecord(runtime::Vfs& vfs,
                                     const std::string& run) {
  const std::string path = runtime::JoinPath(run, "run.json");
  ASSIGN_OR_RETURN(const std::string text,
                   runtime::ReadWholeFile(vfs, path, kMostRecordBytes));
  auto record = RunRecord::Parse(text);
  return record.ok()
             ? std::move(record)
             : runtime::Annotate(record.status(), absl::StrCat("'", path, "'"));
}

absl::StatusOr<RunContents> ReadRun(runtime::Vfs& vfs, const std::string& path,
                                    runtime::DamageSearch search) {
  RETURN_IF_ERROR(runtime::RunDirectory::CheckIsOne(vfs, path));
  RunContents contents;
  contents.path = path;
  contents.search = search;
  contents.record = ReadRecord(vfs, path);
  contents.steps = ReadSteps(vfs, path);
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps,
                   ListCheckpoints(vfs, path));
  for (const int64_t step : steps) {
    if (auto found = ReadCheckpoint(vfs, path, step, search)) {
      contents.checkpoints.push_back(*std::move(found));
    }
  }
  return contents;
}

}  // namespace accel::tools
