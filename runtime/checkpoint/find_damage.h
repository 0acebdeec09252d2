// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that is wrong with a checkpoint, where loading it stops at the first.
#ifndef ACCEL_RUNTIME_CHECKPOINT_FIND_DAMAGE_H_
#define ACCEL_RUNTIME_CHECKPOINT_FIND_DAMAGE_H_

#include <string>
#include <vector>

#include "runtime/checkpoint/manifest.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

enum class DamageSearch {
  kHeaders,  // sizes, headers and names: milliseconds
  kData,     // all bytes, compared with their hashes
};

// A message for each fault, which names the file, and the tensors of data;
// empty: it is intact. What cannot be read is a fault, too.
std::vector<std::string> FindDamage(Vfs& vfs, const std::string& folder,
                                    const CheckpointManifest& manifest,
                                    DamageSearch search);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_FIND_DAMAGE_H_
