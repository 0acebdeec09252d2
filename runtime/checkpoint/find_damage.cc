// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File by file, chunk by chunk.
#include "runtime/checkpoint/find_damage.h"

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/state_file.h"

namespace accel::runtime {

std::vector<std::string> FindDamage(Vfs& vfs, const std::string& folder,
                                    const CheckpointManifest& manifest,
                                    DamageSearch search) {
  std::vector<std::string> faults;
  const auto add = [&faults](const absl::Status& status) {
    if (!status.ok()) {
      faults.emplace_back(status.message());
    }
  };
  for (const CheckpointFile& expected : manifest.files) {
    const auto file = StateFile::Open(vfs, folder, expected);
    add(file.status());
    if (!file.ok() || search == DamageSearch::kHeaders) {
      continue;
    }
    for (uint64_t chunk = 0; chunk < (*file)->chunks(); ++chunk) {
      add((*file)->VerifyChunk(chunk));
    }
  }
  if (faults.empty()) {
    // How the files fit together.
    add(Checkpoint::Open(vfs, folder).status());
  }
  return faults;
}

}  // namespace accel::runtime
