// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of transient buffers and their placement.
#include "passes/Memory/MemoryProblem.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace accel;

/// From the uses, the instructions that a buffer must outlive: what is there
/// before or behind the loop, too, is there in all of it.
static void setRange(BufferLifetime &buffer, const ScheduleProblem &schedule) {
  auto isInLoop = [](const ScheduledInstruction &each) { return each.inLoop; };
  buffer.first = buffer.uses.front().first;
  buffer.last = buffer.uses.front().last;
  buffer.inLoop = true;
  for (const StreamUse &use : buffer.uses) {
    buffer.first = std::min(buffer.first, use.first);
    buffer.last = std::max(buffer.last, use.last);
    buffer.inLoop &= schedule.instructions[use.first].inLoop &&
                     schedule.instructions[use.last].inLoop;
  }
  auto loop = llvm::find_if(schedule.instructions, isInLoop);
  auto behind = std::find_if_not(loop, schedule.instructions.end(), isInLoop);
  unsigned loopFirst = loop - schedule.instructions.begin();
  unsigned loopEnd = behind - schedule.instructions.begin();
  if (!buffer.inLoop && buffer.first < loopEnd && buffer.last >= loopFirst) {
    buffer.first = std::min(buffer.first, loopFirst);
    buffer.last = std::max(buffer.last, loopEnd - 1);
  }
}

MemoryProblem accel::readMemory(Operation *function,
                                std::optional<plan::Space> space) {
  MemoryProblem problem;
  problem.schedule = std::make_shared<ScheduleProblem>(readSchedule(function));
  const ScheduleProblem &schedule = *problem.schedule;
  llvm::MapVector<Operation *, SmallVector<StreamUse, 2>> uses;
  llvm::DenseSet<Operation *> gathered;
  for (auto [i, instruction] : llvm::enumerate(schedule.instructions)) {
    auto op = cast<plan::InstructionOpInterface>(instruction.op);
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      if (buffer.getRegion() != plan::Region::Transient ||
          (space && buffer.getSpace() != *space)) {
        continue;
      }
      unsigned now = i;
      SmallVector<StreamUse, 2> &known = uses[buffer];
      auto use = llvm::find_if(known, [&](const StreamUse &each) {
        return each.stream == instruction.stream;
      });
      if (use == known.end()) {
        known.push_back({instruction.stream, now, now});
      } else {
        use->last = now;
      }
      if (buffer.getSpace() == plan::Space::Shared &&
          isa<plan::AllGatherOp>(op)) {
        gathered.insert(buffer);
      }
    }
  }
  for (auto &[op, streams] : uses) {
    auto buffer = cast<plan::BufferOp>(op);
    BufferLifetime lifetime;
    lifetime.op = op;
    lifetime.bytes = plan::getMemRefBytes(cast<MemRefType>(buffer.getType()));
    lifetime.alignment = static_cast<int64_t>(buffer.getAlignment());
    lifetime.offset =
        buffer.getOffset() ? static_cast<int64_t>(*buffer.getOffset()) : -1;
    lifetime.uses = streams;
    setRange(lifetime, schedule);
    // A rank's events say nothing about where the others are.
    if (gathered.contains(op)) {
      lifetime.first = 0;
      lifetime.last = schedule.instructions.size();
    }
    problem.buffers.push_back(std::move(lifetime));
  }
  // The second iteration shows what waits for the first.
  constexpr unsigned kIterations = 2;
  problem.order = std::make_shared<StreamOrder>(schedule, kIterations);
  for (unsigned e = 0; e < problem.order->size(); ++e) {
    problem.order->begin(e);
    problem.order->end(e);
  }
  return problem;
}

/// Whether all that `a` is used for is done, in iteration `inA` if it is used
/// in the loop, when `b` begins to be used, in iteration `inB`.
bool MemoryProblem::isDoneBefore(const BufferLifetime &a, unsigned inA,
                                 const BufferLifetime &b, unsigned inB) const {
  auto execution = [&](unsigned instruction, unsigned iteration) {
    bool inLoop = schedule->instructions[instruction].inLoop;
    return order->getExecution(instruction, inLoop ? iteration : 0);
  };
  for (const StreamUse &before : a.uses) {
    for (const StreamUse &after : b.uses) {
      if (before.stream != after.stream &&
          !order->isBefore(execution(before.last, inA),
                           execution(after.first, inB))) {
        return false;
      }
    }
  }
  return true;
}

bool MemoryProblem::liveTogether(const BufferLifetime &a,
                                 const BufferLifetime &b) const {
  if (a.first <= b.last && b.first <= a.last) {
    return true;
  }
  const BufferLifetime &early = a.last < b.first ? a : b;
  const BufferLifetime &late = a.last < b.first ? b : a;
  if (early.inLoop && late.inLoop) {
    return !isDoneBefore(early, 0, late, 0) || !isDoneBefore(late, 0, early, 1);
  }
  // Out of the last iteration, or into the first.
  return !isDoneBefore(early, 1, late, 0);
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
          at, llvm::alignTo(placed.offset + placed.bytes, buffer.alignment));
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
        bytes, llvm::alignTo(buffer.offset + buffer.bytes, buffer.alignment));
  }
  return bytes;
}
