// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between host and device, and from the rank that holds a piece.
#include "runtime/executor/rank_state.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Of a tensor that ranks read together, and of a constant.
constexpr uint64_t kPieceBytes = uint64_t{4} << 20;

}  // namespace

absl::Status RankState::LoadConstants() {
  const auto& buffers = plan_.manifest().buffers();
  std::vector<std::byte> piece;
  for (int i = 0; i < buffers.size(); ++i) {
    if (buffers[i].region() != planpb::REGION_CONSTANT) {
      continue;
    }
    const planpb::SectionRange& content = buffers[i].content();
    for (uint64_t done = 0; done < content.size(); done += piece.size()) {
      piece.resize(std::min(kPieceBytes, content.size() - done));
      RETURN_IF_ERROR(plan_.content().Read(
          content.section(), content.offset() + done, absl::MakeSpan(piece)));
      RETURN_IF_ERROR(Write(static_cast<uint32_t>(i), done, piece));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ByteRange> RankState::RangeOf(uint32_t buffer, uint64_t offset,
                                             uint64_t size) const {
  ByteRange range = layout_.RangeOf(buffer, 0);
  if (offset > range.size() || size > range.size() - offset) {
    return absl::OutOfRangeError(absl::StrCat(
        "buffer '", plan_.view().buffer(buffer).name(), "': bytes [", offset,
        ", +", size, ") do not lie in its ", range.size()));
  }
  range.begin += offset;
  range.end = range.begin + size;
  return range;
}

absl::Status RankState::Read(uint32_t buffer, uint64_t offset,
                             absl::Span<std::byte> dst) const {
  ASSIGN_OR_RETURN(const ByteRange range, RangeOf(buffer, offset, dst.size()));
  return memory_.Read(range, dst);
}

absl::Status RankState::Write(uint32_t buffer, uint64_t offset,
                              absl::Span<const std::byte> src) {
  ASSIGN_OR_RETURN(const ByteRange range, RangeOf(buffer, offset, src.size()));
  return memory_.Write(range, src);
}

absl::Status RankState::ReadTensor(const SlotTensor& slot, uint64_t first,
                                   uint64_t elements,
                                   absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(CheckSlotRange(plan_.view(), slot, first, elements));
  if (!slot.IsSharded() || layout_.binding().rank_count() == 1) {
    return dst.empty() ? absl::OkStatus()
                       : Read(slot.buffer, first * slot.width, dst);
  }
  const uint64_t step = kPieceBytes / slot.width;
  for (const uint64_t end = first + elements; first < end;) {
    ASSIGN_OR_RETURN(
        const SlotPiece piece,
        FindPiece(layout_, slot, first, std::min(step, end - first)));
    const uint64_t bytes = piece.elements * slot.width;
    RETURN_IF_ERROR(
        ShareTensor(slot, piece, dst.empty() ? dst : dst.first(bytes)));
    dst.remove_prefix(dst.empty() ? 0 : bytes);
    first += piece.elements;
  }
  return absl::OkStatus();
}

absl::Status RankState::ShareTensor(const SlotTensor& slot,
                                    const SlotPiece& piece,
                                    absl::Span<std::byte> dst) const {
  const uint64_t bytes = piece.elements * slot.width;
  std::vector<std::byte> unused(dst.empty() ? bytes : 0);
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BROADCAST;
  call.dtype = DType::kU8;
  call.elements = bytes;
  call.root = static_cast<uint32_t>(piece.rank);
  call.name = plan_.view().buffer(slot.buffer).name();
  call.output = dst.empty() ? absl::MakeSpan(unused) : dst;
  if (piece.rank == layout_.binding().rank()) {
    RETURN_IF_ERROR(Read(slot.buffer, piece.offset, call.output));
    call.input = call.output;
  }
  return communicator_->Run(call);
}

}  // namespace accel::runtime
