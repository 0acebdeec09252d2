// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MANIFEST.json of a checkpoint: what it is of, where its run stood, and what
// its files are.
#ifndef ACCEL_RUNTIME_CHECKPOINT_MANIFEST_H_
#define ACCEL_RUNTIME_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// A file of tensors that one process has written.
struct CheckpointFile {
  std::string name;  // in the checkpoint's folder
  uint64_t bytes = 0;
  // SHA-256 of the safetensors header, its length included; the hashes of the
  // data are in the header. Hexadecimal.
  std::string header_sha256;
};

struct CheckpointScalar {
  std::string name;
  std::string dtype;  // DTypeName
  std::string bytes;  // as they lie in memory; hexadecimal in the file
};

struct CheckpointManifest {
  int64_t step = 0;     // steps that were taken
  int64_t samples = 0;  // of the run, that they have used
  int64_t skipped_steps = 0;
  int64_t seed = 0;
  int64_t global_batch = 0;
  int64_t horizon = 0;  // steps of the run that wrote it
  int64_t ranks = 0;
  bool shuffle = true;
  std::string accel_version;
  std::string optimizer;
  std::string plan_sha256;
  std::string data_sha256;  // Dataset::identity
  std::vector<CheckpointFile> files;
  std::vector<CheckpointScalar> scalars;
};

// The text ends with the hash of all that is in front of it.
std::string SerializeManifest(const CheckpointManifest& manifest);

// DataLoss: its hash is not that of its text. InvalidArgument: it is whole, and
// of another version or not what is expected.
absl::StatusOr<CheckpointManifest> ParseManifest(absl::string_view text);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_MANIFEST_H_
