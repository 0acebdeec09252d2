// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes whole contents or spots of them.
#include "runtime/data/content_digest.h"

#include <algorithm>
#include <vector>

#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;
constexpr uint64_t kSpotSize = 4096;
constexpr uint64_t kSpots = 1024;
constexpr uint64_t kFewestSpots = 4;

class Hasher {
 public:
  explicit Hasher(uint64_t total)
      : buffer_(std::clamp<uint64_t>(total, 1, kPiece)) {
    hash_.UpdateInteger(total);
  }

  void AddSize(uint64_t size) { hash_.UpdateInteger(size); }

  absl::Status AddWhole(const FileContent& part) {
    for (uint64_t done = 0; done < part.size(); done += kPiece) {
      RETURN_IF_ERROR(Add(part, done, std::min(kPiece, part.size() - done)));
    }
    return absl::OkStatus();
  }

  absl::Status AddSpots(const FileContent& part, uint64_t spots) {
    if (part.size() <= spots * kSpotSize) {
      return AddWhole(part);
    }
    // The first spot begins with the content and the last one ends with it.
    const uint64_t last = part.size() - kSpotSize;
    for (uint64_t spot = 0; spot + 1 < spots; ++spot) {
      RETURN_IF_ERROR(Add(part, last / (spots - 1) * spot, kSpotSize));
    }
    return Add(part, last, kSpotSize);
  }

  Sha256Digest Finish() { return hash_.Finish(); }

 private:
  absl::Status Add(const FileContent& part, uint64_t at, uint64_t size) {
    const auto piece = absl::MakeSpan(buffer_).first(size);
    RETURN_IF_ERROR(part.file->file().ReadAt(part.offset + at, piece));
    hash_.Update(piece);
    return absl::OkStatus();
  }

  Sha256 hash_;
  std::vector<std::byte> buffer_;
};

}  // namespace

absl::StatusOr<Sha256Digest> ContentDigest(
    absl::Span<const FileContent> parts) {
  uint64_t total = 0;
  for (const FileContent& part : parts) {
    total += part.size();
  }
  Hasher hasher(total);
  const uint64_t spots =
      std::max(kFewestSpots, kSpots / std::max<uint64_t>(1, parts.size()));
  for (const FileContent& part : parts) {
    if (total <= kWholeCheckLimit) {
      RETURN_IF_ERROR(hasher.AddWhole(part));
    } else {
      if (parts.size() > 1) {
        hasher.AddSize(part.size());
      }
      RETURN_IF_ERROR(hasher.AddSpots(part, spots));
    }
    RETURN_IF_ERROR(part.file->CheckUnchanged());
  }
  return hasher.Finish();
}

}  // namespace accel::runtime
