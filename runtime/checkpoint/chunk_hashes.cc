// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts what comes at the chunks' ends.
#include "runtime/checkpoint/chunk_hashes.h"

#include <algorithm>

namespace accel::runtime {

void ChunkHashes::Update(absl::Span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (hash_ == nullptr) {
      hash_ = std::make_unique<Sha256>();
    }
    const auto part = static_cast<size_t>(
        std::min<uint64_t>(bytes.size(), kHashedBytes - hashed_));
    hash_->Update(bytes.first(part));
    hashed_ += part;
    bytes.remove_prefix(part);
    if (hashed_ == kHashedBytes) {
      EndChunk();
    }
  }
}

std::string ChunkHashes::Finish() {
  if (hash_ != nullptr) {
    EndChunk();
  }
  return std::move(table_);
}

void ChunkHashes::EndChunk() {
  table_ += ToHex(hash_->Finish());
  hash_ = nullptr;
  hashed_ = 0;
}

}  // namespace accel::runtime
