// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run directory holds, also while its run goes on.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_RUN_CONTENTS_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_RUN_CONTENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/checkpoint/find_damage.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/io/vfs.h"
#include "tools/accel-inspect/metrics_file.h"
#include "tools/accel-inspect/run_record.h"

namespace accel::tools {

struct FoundCheckpoint {
  int64_t step = 0;  // of its name
  std::string folder;
  // Nothing: it cannot be read, and `faults` say why.
  std::optional<runtime::CheckpointManifest> manifest;
  std::vector<std::string> faults;

  bool IsIntact() const { return faults.empty(); }
  uint64_t Bytes() const;  // of the files that the manifest lists
};

struct RunContents {
  std::string path;
  absl::StatusOr<RunRecord> record = absl::UnknownError("");
  // In their order, of all starts; an error if the file cannot be read.
  absl::StatusOr<std::vector<MetricsStep>> steps = absl::UnknownError("");
  std::vector<FoundCheckpoint> checkpoints;  // the newest first
  runtime::DamageSearch search = runtime::DamageSearch::kHeaders;

  const FoundCheckpoint* NewestIntact() const;
};

// All checkpoints that `run` has, the newest first. One that is removed
// meanwhile is none.
absl::StatusOr<std::vector<int64_t>> ListCheckpoints(runtime::Vfs& vfs,
                                                     const std::string& run);
std::optional<FoundCheckpoint> ReadCheckpoint(runtime::Vfs& vfs,
                                              const std::string& run,
                                              int64_t step,
                                              runtime::DamageSearch search);

// run.json. NotFound if the run has not got so far.
absl::StatusOr<RunRecord> ReadRecord(runtime::Vfs& vfs, const std::string& run);

// An error if `path` is no run directory.
absl::StatusOr<RunContents> ReadRun(runtime::Vfs& vfs, const std::string& path,
                                    runtime::DamageSearch search);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_RUN_CONTENTS_H_
