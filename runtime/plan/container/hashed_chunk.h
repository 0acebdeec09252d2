// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of sections, each of which the manifest has a hash of.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_HASHED_CHUNK_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_HASHED_CHUNK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Less than a whole chunk at the section's end.
uint64_t BytesOfChunk(const planpb::Section& section, uint64_t chunk);

// Fills `dst` with chunk `chunk` of the section and compares its hash: DataLoss
// if it is another. Requires: dst.size() is BytesOfChunk(section, chunk).
absl::Status ReadHashedChunk(File& file, const planpb::Section& section,
                             uint64_t chunk, absl::Span<std::byte> dst);

// Reads and hashes all chunks of the sections, on all cores. Returns the first
// damage in the file, whichever thread found it.
absl::Status VerifyChunks(File& file,
                          const std::vector<const planpb::Section*>& sections);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_HASHED_CHUNK_H_
