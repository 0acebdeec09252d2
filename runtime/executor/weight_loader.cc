// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of weights, clipped to what a rank owns.
#include "runtime/executor/weight_loader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"

namespace accel::runtime {

void CopyTransposed(absl::Span<const std::byte> src, uint64_t rows,
                    uint64_t columns, uint64_t width, uint64_t first,
                    absl::Span<std::byte> dst) {
  const uint64_t count = dst.size() / width;
  uint64_t row = first / columns;
  uint64_t column = first % columns;
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(&dst[i * width], &src[(column * rows + row) * width], width);
    if (++column == columns) {
      column = 0;
      ++row;
    }
  }
}

void WeightLoader::Forget() {
  const std::lock_guard lock(mutex_);
  kept_ = nullptr;
}

absl::Status WeightLoader::ReadPart(uint32_t section, const Part& part,
                                    const Chunk* kept, bool keep) const {
  const ContainerReader& content = plan_.content();
  const uint64_t size = content.ChunkBytes(section, part.chunk);
  if (part.dst.size() == size) {
    return content.ReadChunk(section, part.chunk, part.dst);
  }
  if (kept != nullptr && kept->section == section &&
      kept->number == part.chunk) {
    std::memcpy(part.dst.data(), &kept->bytes[part.skip], part.dst.size());
    return absl::OkStatus();
  }
  const auto chunk = std::make_shared<Chunk>(
      Chunk{section, part.chunk, std::vector<std::byte>(size)});
  RETURN_IF_ERROR(
      content.ReadChunk(section, part.chunk, absl::MakeSpan(chunk->bytes)));
  std::memcpy(part.dst.data(), &chunk->bytes[part.skip], part.dst.size());
  if (keep) {
    const std::lock_guard lock(mutex_);
    kept_ = chunk;
  }
  return absl::OkStatus();
}

absl::Status WeightLoader::ReadSection(uint32_t section, uint64_t begin,
                                       ParallelFor parallel,
                                       absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(plan_.content().CheckRange(section, begin, dst.size()));
  std::vector<Part> parts;
  while (!dst.empty()) {
    const uint64_t skip = begin % kChunkSize;
    const size_t count = std::min<uint64_t>(dst.size(), kChunkSize - skip);
    parts.push_back({begin / kChunkSize, skip, dst.first(count)});
    dst.remove_prefix(count);
    begin += count;
  }
  std::shared_ptr<const Chunk> kept;
  {
    const std::lock_guard lock(mutex_);
    kept = kept_;
  }
  std::vector<absl::Status> results(parts.size());
  parallel(std::ssize(parts), [&](int64_t i) {
    const bool keep = i + 1 == std::ssize(parts);
    results[i] = ReadPart(section, parts[i], kept.get(), keep);
  });
  // The first damage in the file, whichever thread found it.
  for (const absl::Status& result : results) {
    RETURN_IF_ERROR(result);
  }
  return absl::OkStatus();
}

absl::Status WeightLoader::ReadSource(const planpb::LoadPiece& piece,
                                      uint64_t offset, ParallelFor parallel,
                                      absl::Span<std::byte> dst) const {
  const uint64_t begin = piece.source_offset() + offset;
  if (piece.section_plus_one() != 0) {
    return ReadSection(piece.section_plus_one() - 1, begin, parallel, dst);
  }
  return files_.Read(piece.external_file_plus_one() - 1, begin, dst);
}

absl::Status WeightLoader::ReadPiece(const planpb::LoadPiece& piece,
                                     uint64_t width, uint64_t first,
                                     ParallelFor parallel,
                                     absl::Span<std::byte> dst) const {
  if (piece.rows() == 0) {
    return ReadSource(piece, first * width, parallel, dst);
  }
  std::vector<std::byte> whole(piece.elements() * width);
  RETURN_IF_ERROR(ReadSource(piece, 0, parallel, absl::MakeSpan(whole)));
  CopyTransposed(whole, piece.rows(), piece.columns(), width, first, dst);
  return absl::OkStatus();
}

absl::Status WeightLoader::Run(const planpb::Load& load,
                               const RankBinding& binding, uint64_t size,
                               ParallelFor parallel, Store store) const {
  const uint64_t width = ElementBits(load.dtype()) / 8;
  OwnedRange owned{0, size / width};
  if (load.has_shard()) {
    ASSIGN_OR_RETURN(owned, OwnedElements(load.shard(), binding));
  }
  for (const planpb::LoadPiece& piece : load.pieces()) {
    const uint64_t end = piece.element_offset() + piece.elements();
    const uint64_t first = std::max(piece.element_offset(), owned.begin);
    const uint64_t last = std::min(end, owned.end);
    if (first >= last) {
      continue;
    }
    const auto read = [&](absl::Span<std::byte> dst) {
      return ReadPiece(piece, width, first - piece.element_offset(), parallel,
                       dst);
    };
    RETURN_IF_ERROR(
        store((first - owned.begin) * width, (last - first) * width, read));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
