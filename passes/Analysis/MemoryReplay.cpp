// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replays accesses over a map from bytes to what happened to them.
#include "passes/Analysis/MemoryReplay.h"

using namespace mlir;
using namespace accel;

void MemoryReplay::splitAt(std::map<int64_t, Piece> &pieces, int64_t position) {
  auto next = pieces.upper_bound(position);
  if (next == pieces.begin()) {
    return;
  }
  auto piece = std::prev(next);
  if (piece->first < position && position < piece->second.end) {
    pieces.emplace(position, piece->second);
    piece->second.end = position;
  }
}

void MemoryReplay::forEach(const ReplayedBytes &bytes, Visit visit) {
  if (bytes.begin >= bytes.end) {
    return;
  }
  std::map<int64_t, Piece> &pieces = memories[bytes.memory];
  splitAt(pieces, bytes.begin);
  splitAt(pieces, bytes.end);
  for (int64_t at = bytes.begin; at < bytes.end;) {
    auto piece = pieces.lower_bound(at);
    if (piece == pieces.end() || piece->first > at) {
      int64_t end =
          piece == pieces.end() ? bytes.end : std::min(bytes.end, piece->first);
      piece = pieces.emplace_hint(piece, at, Piece{end, History()});
    }
    visit(piece->second.history);
    at = piece->second.end;
  }
}

void MemoryReplay::record(const ReplayedBytes &bytes, const Access &access,
                          bool writes) {
  auto streamOf = [&](const Access &each) {
    return function.getExecutions()[each.execution].stream;
  };
  forEach(bytes, [&](History &history) {
    if (writes) {
      history = {access, {}};
      return;
    }
    llvm::erase_if(history.reads, [&](const Access &read) {
      return streamOf(read) == streamOf(access);
    });
    history.reads.push_back(access);
  });
  if (!writes) {
    return;
  }
  // One piece again: maps stay as small as what is told apart.
  std::map<int64_t, Piece> &pieces = memories[bytes.memory];
  pieces.erase(pieces.lower_bound(bytes.begin), pieces.lower_bound(bytes.end));
  if (bytes.begin < bytes.end) {
    pieces[bytes.begin] = {bytes.end, {access, {}}};
  }
}

std::optional<ReplayFault>
MemoryReplay::findUnordered(Locate locate, bool betweenBuffersOnly) {
  memories.clear();
  std::optional<ReplayFault> fault;
  for (auto [e, execution] : llvm::enumerate(function.getExecutions())) {
    unsigned later = e;
    SmallVector<plan::BufferAccess> accesses =
        execution.getInstruction().getAccesses();
    for (const plan::BufferAccess &access : accesses) {
      std::optional<ReplayedBytes> bytes = locate(execution, access);
      if (!bytes) {
        continue;
      }
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      auto check = [&](const Access &past) {
        bool skips = betweenBuffersOnly && past.buffer == buffer;
        if (!fault && !skips && past.execution != later &&
            !function.isOrdered(past.execution, later)) {
          fault = {ReplayFault::Unordered, past.execution, later, past.buffer,
                   buffer};
        }
      };
      forEach(*bytes, [&](History &history) {
        if (history.write) {
          check(*history.write);
        }
        if (access.access != plan::Access::Read) {
          llvm::for_each(history.reads, check);
        }
      });
    }
    if (fault) {
      return fault;
    }
    for (const plan::BufferAccess &access : accesses) {
      if (std::optional<ReplayedBytes> bytes = locate(execution, access)) {
        record(*bytes, {later, plan::getBufferRange(access.buffer).buffer},
               access.access != plan::Access::Read);
      }
    }
  }
  return std::nullopt;
}

std::optional<ReplayFault> MemoryReplay::findWrongContents(Locate locate) {
  memories.clear();
  for (auto [e, execution] : llvm::enumerate(function.getExecutions())) {
    unsigned now = e;
    std::optional<ReplayFault> fault;
    SmallVector<plan::BufferAccess> accesses =
        execution.getInstruction().getAccesses();
    // What is read first, then what is written: twice over the same bytes is a
    // fault unless both read.
    for (bool writing : {false, true}) {
      for (const plan::BufferAccess &access : accesses) {
        std::optional<ReplayedBytes> bytes = locate(execution, access);
        bool skips = access.access ==
                     (writing ? plan::Access::Read : plan::Access::Write);
        if (!bytes || skips) {
          continue;
        }
        plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
        forEach(*bytes, [&](History &history) {
          const std::optional<Access> &write = history.write;
          auto isOther = [&](const Access &each) {
            return each.execution == now && each.buffer != buffer;
          };
          auto reader = llvm::find_if(history.reads, isOther);
          if (fault) {
            return;
          }
          if (!writing && !write) {
            fault = {ReplayFault::Unwritten, now, now, buffer, buffer};
          } else if (!writing && write->buffer != buffer) {
            fault = {ReplayFault::Overwritten, write->execution, now,
                     write->buffer, buffer};
          } else if (writing && write && isOther(*write)) {
            fault = {ReplayFault::Aliased, now, now, write->buffer, buffer};
          } else if (writing && reader != history.reads.end()) {
            fault = {ReplayFault::Aliased, now, now, reader->buffer, buffer};
          }
        });
        if (fault) {
          return fault;
        }
        record(*bytes, {now, buffer}, writing);
      }
    }
  }
  return std::nullopt;
}
