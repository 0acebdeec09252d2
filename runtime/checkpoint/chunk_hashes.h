// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256 of each 4 MiB of a stream of bytes.
#ifndef ACCEL_RUNTIME_CHECKPOINT_CHUNK_HASHES_H_
#define ACCEL_RUNTIME_CHECKPOINT_CHUNK_HASHES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "runtime/base/sha256.h"

namespace accel::runtime {

inline constexpr uint64_t kHashedBytes = uint64_t{4} << 20;
inline constexpr size_t kHexDigits = 64;  // of one hash

inline uint64_t CountChunks(uint64_t bytes) {
  return (bytes + kHashedBytes - 1) / kHashedBytes;
}

class ChunkHashes {
 public:
  // The next bytes of the stream.
  void Update(absl::Span<const std::byte> bytes);
  // The hashes of all chunks, 64 hexadecimal digits each, one after the other.
  // Requires: called once, no Update afterwards.
  std::string Finish();

 private:
  void EndChunk();

  std::unique_ptr<Sha256> hash_;  // null: no byte of the next chunk was there
  uint64_t hashed_ = 0;           // of the chunk
  std::string table_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_CHUNK_HASHES_H_
