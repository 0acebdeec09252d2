// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint that was found: its manifest, and its tensors whole again,
// however many processes have written parts of them.
#ifndef ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_H_
#define ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/dtype.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/checkpoint/state_file.h"

namespace accel::runtime {

inline constexpr char kManifestName[] = "MANIFEST.json";

absl::StatusOr<CheckpointManifest> ReadManifest(Vfs& vfs,
                                                const std::string& folder);

// Threads: one at a time.
class Checkpoint {
 public:
  struct Tensor {
    DType dtype = DType::kF32;
    uint64_t elements = 0;
  };

  // Reads the manifest and the headers of all files. DataLoss, naming the file,
  // for what is damaged.
  static absl::StatusOr<std::unique_ptr<Checkpoint>> Open(
      Vfs& vfs, const std::string& folder);

  const std::string& folder() const { return folder_; }
  const CheckpointManifest& manifest() const { return manifest_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

  // Elements of a tensor from `first` on; compared with their hashes.
  // Requires: the tensor has them.
  absl::Status Read(const std::string& name, uint64_t first,
                    absl::Span<std::byte> dst);
  // Reads all of file `number` of the manifest, and compares.
  absl::Status Verify(size_t number, const std::function<void()>& progress);

 private:
  // Elements [begin, end) of a tensor, in a file.
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    StateFile* file = nullptr;
    const SafetensorsEntry* entry = nullptr;
  };

  Checkpoint(std::string folder, CheckpointManifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}

  absl::Status AddFile(std::unique_ptr<StateFile> file);
  absl::Status CheckPieces();

  std::string folder_;
  CheckpointManifest manifest_;
  std::vector<std::unique_ptr<StateFile>> files_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::vector<Piece>> pieces_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_CHECKPOINT_H_
