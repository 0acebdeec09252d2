// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of weights, clipped to what a rank owns.
#include "runtime/executor/weight_loader.h"

#include <algorithm>
#include <cstring>
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

absl::Status WeightLoader::ReadSource(const planpb::LoadPiece& piece,
                                      uint64_t offset,
                                      absl::Span<std::byte> dst) const {
  const uint64_t begin = piece.source_offset() + offset;
  if (piece.section_plus_one() != 0) {
    return plan_.content().Read(piece.section_plus_one() - 1, begin, dst);
  }
  return files_.Read(piece.external_file_plus_one() - 1, begin, dst);
}

absl::Status WeightLoader::ReadPiece(const planpb::LoadPiece& piece,
                                     uint64_t width, uint64_t first,
                                     absl::Span<std::byte> dst) const {
  if (piece.rows() == 0) {
    return ReadSource(piece, first * width, dst);
  }
  std::vector<std::byte> whole(piece.elements() * width);
  RETURN_IF_ERROR(ReadSource(piece, 0, absl::MakeSpan(whole)));
  CopyTransposed(whole, piece.rows(), piece.columns(), width, first, dst);
  return absl::OkStatus();
}

absl::Status WeightLoader::Run(const planpb::Load& load,
                               const RankBinding& binding,
                               absl::Span<std::byte> dst) const {
  const uint64_t width = ElementBits(load.dtype()) / 8;
  OwnedRange owned{0, dst.size() / width};
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
    RETURN_IF_ERROR(ReadPiece(
        piece, width, first - piece.element_offset(),
        dst.subspan((first - owned.begin) * width, (last - first) * width)));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
