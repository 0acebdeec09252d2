// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of transient buffers, their placement, and the proof that no two
// that live together overlap.
#include "passes/Memory/MemoryProblem.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir;
using namespace accel;

namespace {

/// Where a buffer is used, while the function is read.
struct Uses {
  unsigned first = 0, last = 0;
  bool inLoop = false, outsideLoop = false, otherLane = false;
};

} // namespace

MemoryProblem accel::readMemory(Operation *function, StringRef space) {
  llvm::MapVector<Operation *, Uses> uses;
  unsigned count = 0;
  std::optional<unsigned> loopFirst;
  unsigned loopLast = 0;
  function->walk([&](plan::InstructionOpInterface op) {
    bool inLoop = op->getParentOfType<plan::RepeatOp>() != nullptr;
    if (inLoop) {
      loopFirst = loopFirst.value_or(count);
      loopLast = count;
    }
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      if (buffer.getRegion() != plan::Region::Transient ||
          (!space.empty() && buffer.getSpace() != space)) {
        continue;
      }
      auto [entry, isNew] = uses.insert({buffer, Uses{count, count}});
      entry->second.last = count;
      (inLoop ? entry->second.inLoop : entry->second.outsideLoop) = true;
      entry->second.otherLane |= op.getLaneOrDefault() != plan::Lane::Compute;
    }
    ++count;
  });
  MemoryProblem problem;
  for (auto &[op, use] : uses) {
    auto buffer = cast<plan::BufferOp>(op);
    if (use.inLoop && use.outsideLoop) {
      use.first = std::min(use.first, *loopFirst);
      use.last = std::max(use.last, loopLast);
    }
    if (use.otherLane) {
      use.first = 0;
      use.last = count;
    }
    int64_t bytes = plan::getMemRefBytes(cast<MemRefType>(buffer.getType()));
    int64_t offset =
        buffer.getOffset() ? static_cast<int64_t>(*buffer.getOffset()) : -1;
    problem.buffers.push_back({op, bytes, use.first, use.last, offset});
  }
  return problem;
}

static bool liveTogether(const BufferLifetime &a, const BufferLifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

int64_t MemoryProblem::solve() {
  std::vector<unsigned> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::vector<unsigned> byOffset; // placed, sorted by offset
  for (unsigned number : order) {
    BufferLifetime &buffer = buffers[number];
    int64_t at = 0;
    for (unsigned other : byOffset) {
      const BufferLifetime &placed = buffers[other];
      if (!liveTogether(buffer, placed)) {
        continue;
      }
      if (placed.offset >= at + buffer.bytes) {
        break;
      }
      at = std::max<int64_t>(
          at, llvm::alignTo(placed.offset + placed.bytes, kAlignment));
    }
    buffer.offset = at;
    auto after = std::upper_bound(byOffset.begin(), byOffset.end(), at,
                                  [&](int64_t offset, unsigned other) {
                                    return offset < buffers[other].offset;
                                  });
    byOffset.insert(after, number);
  }
  return arenaBytes();
}

int64_t MemoryProblem::arenaBytes() const {
  int64_t bytes = 0;
  for (const BufferLifetime &buffer : buffers) {
    bytes = std::max<int64_t>(
        bytes, llvm::alignTo(buffer.offset + buffer.bytes, kAlignment));
  }
  return bytes;
}

std::optional<std::pair<unsigned, unsigned>>
MemoryProblem::findConflict() const {
  struct Change {
    unsigned when;
    bool begins;
    unsigned number;
  };
  std::vector<Change> changes;
  for (unsigned i = 0; i < buffers.size(); ++i) {
    if (buffers[i].offset < 0) {
      return std::make_pair(i, i);
    }
    changes.push_back({buffers[i].first, true, i});
    changes.push_back({buffers[i].last + 1, false, i});
  }
  // What ends before an instruction is gone before anything begins there.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change &a, const Change &b) {
                     return std::make_pair(a.when, a.begins) <
                            std::make_pair(b.when, b.begins);
                   });
  std::map<int64_t, unsigned> live; // by offset; disjoint
  for (const Change &change : changes) {
    const BufferLifetime &buffer = buffers[change.number];
    if (!change.begins) {
      live.erase(buffer.offset);
      continue;
    }
    auto next = live.lower_bound(buffer.offset);
    if (next != live.end() && next->first < buffer.offset + buffer.bytes) {
      return std::make_pair(next->second, change.number);
    }
    if (next != live.begin()) {
      unsigned before = std::prev(next)->second;
      if (buffers[before].offset + buffers[before].bytes > buffer.offset) {
        return std::make_pair(before, change.number);
      }
    }
    live[buffer.offset] = change.number;
  }
  return std::nullopt;
}
