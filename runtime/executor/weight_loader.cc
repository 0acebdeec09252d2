// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of weights, clipped to what a rank owns.
#include "runtime/executor/weight_loader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {

namespace {

// Rows of a transpose that are written together: as many elements as the source
// has side by side in a cache line or two.
constexpr uint64_t kTileRows = 32;
// Of a matrix that is transposed, so much is in memory at a time; enough that
// several threads have chunks to read.
constexpr uint64_t kBandBytes = 16 * kChunkSize;

}  // namespace

void CopyTransposed(SourceBand band, TransposedShape shape, uint64_t row_begin,
                    uint64_t row_end, uint64_t first,
                    absl::Span<std::byte> dst) {
  const uint64_t width = shape.width;
  const uint64_t last = first + dst.size() / width;
  const uint64_t columns = band.bytes.size() / (shape.rows * width);
  for (uint64_t i = 0; i < columns; ++i) {
    const uint64_t column = band.first_column + i;
    for (uint64_t row = row_begin; row < row_end; ++row) {
      const uint64_t element = row * shape.columns + column;
      if (element >= first && element < last) {
        std::memcpy(&dst[(element - first) * width],
                    &band.bytes[(i * shape.rows + row) * width], width);
      }
    }
  }
}

WeightLoader::Source WeightLoader::SourceOf(const planpb::LoadPiece& piece) {
  const bool is_file = piece.external_file_plus_one() != 0;
  return {is_file, is_file ? piece.external_file_plus_one() - 1
                           : piece.section_plus_one() - 1};
}

void WeightLoader::Forget() {
  const std::lock_guard lock(mutex_);
  kept_ = nullptr;
}

absl::Status WeightLoader::ReadChunk(Source source, uint64_t chunk,
                                     absl::Span<std::byte> dst) const {
  return source.is_file ? files_.ReadChunk(source.index, chunk, dst)
                        : plan_.content().ReadChunk(source.index, chunk, dst);
}

absl::Status WeightLoader::ReadPart(Source source, const Part& part,
                                    const Chunk* kept, bool keep) const {
  const uint64_t size =
      source.is_file ? files_.ChunkBytes(source.index, part.chunk)
                     : plan_.content().ChunkBytes(source.index, part.chunk);
  if (part.dst.size() == size) {
    return ReadChunk(source, part.chunk, part.dst);
  }
  if (kept != nullptr && kept->source == source && kept->number == part.chunk) {
    std::memcpy(part.dst.data(), &kept->bytes[part.skip], part.dst.size());
    return absl::OkStatus();
  }
  const auto chunk = std::make_shared<Chunk>(
      Chunk{source, part.chunk, std::vector<std::byte>(size)});
  RETURN_IF_ERROR(ReadChunk(source, part.chunk, absl::MakeSpan(chunk->bytes)));
  std::memcpy(part.dst.data(), &chunk->bytes[part.skip], part.dst.size());
  if (keep) {
    const std::lock_guard lock(mutex_);
    kept_ = chunk;
  }
  return absl::OkStatus();
}

absl::Status WeightLoader::ReadBytes(Source source, uint64_t begin,
                                     ParallelFor parallel,
                                     absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(
      source.is_file
          ? files_.CheckRange(source.index, begin, dst.size())
          : plan_.content().CheckRange(source.index, begin, dst.size()));
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
    results[i] = ReadPart(source, parts[i], kept.get(), keep);
  });
  // The first damage in the file, whichever thread found it.
  for (const absl::Status& result : results) {
    RETURN_IF_ERROR(result);
  }
  return absl::OkStatus();
}

absl::Status WeightLoader::ReadTransposed(const planpb::LoadPiece& piece,
                                          uint64_t width, uint64_t first,
                                          ParallelFor parallel,
                                          absl::Span<std::byte> dst) const {
  const Source source = SourceOf(piece);
  const TransposedShape shape{piece.rows(), piece.columns(), width};
  const uint64_t line = shape.rows * width;  // of the source
  const uint64_t columns_at_once = std::max<uint64_t>(1, kBandBytes / line);
  const uint64_t row_begin = first / shape.columns;
  const uint64_t row_end =
      (first + dst.size() / width + shape.columns - 1) / shape.columns;
  const int64_t tiles =
      static_cast<int64_t>((row_end - row_begin + kTileRows - 1) / kTileRows);
  std::vector<std::byte> band(std::min(columns_at_once, shape.columns) * line);
  for (uint64_t column = 0; column < shape.columns; column += columns_at_once) {
    const auto bytes = absl::MakeSpan(band).first(
        std::min(columns_at_once, shape.columns - column) * line);
    RETURN_IF_ERROR(ReadBytes(source, piece.source_offset() + column * line,
                              parallel, bytes));
    parallel(tiles, [&](int64_t tile) {
      const uint64_t begin = row_begin + tile * kTileRows;
      CopyTransposed({bytes, column}, shape, begin,
                     std::min(row_end, begin + kTileRows), first, dst);
    });
  }
  return absl::OkStatus();
}

absl::Status WeightLoader::ReadPiece(const planpb::LoadPiece& piece,
                                     uint64_t width, uint64_t first,
                                     ParallelFor parallel,
                                     absl::Span<std::byte> dst) const {
  if (piece.rows() == 0) {
    return ReadBytes(SourceOf(piece), piece.source_offset() + first * width,
                     parallel, dst);
  }
  return ReadTransposed(piece, width, first, parallel, dst);
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
