// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to the same bytes that nothing orders, by vector clocks over an
// unrolled function.
#include "passes/Schedule/ScheduleProblem.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/StreamOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace accel;

/// How many iterations show everything: twice the reach of double buffering and
/// of distances, so that every distance occurs both between early and between
/// late iterations.
static unsigned countIterations(const ScheduleProblem &problem) {
  unsigned reach = 2;
  for (const ScheduledInstruction &instruction : problem.instructions) {
    for (const EventWait &wait : instruction.waits) {
      reach = std::max(reach, wait.distance + 1);
    }
    for (const ByteAccess &access : instruction.accesses) {
      reach = std::max(reach, access.copies + access.rotation);
    }
  }
  return 2 * reach;
}

static bool isSameCopy(const ByteAccess &a, unsigned iterationA,
                       const ByteAccess &b, unsigned iterationB) {
  return (iterationA + a.rotation) % a.copies ==
         (iterationB + b.rotation) % b.copies;
}

static bool conflict(const ByteAccess &a, unsigned iterationA,
                     const ByteAccess &b, unsigned iterationB) {
  return (a.writes || b.writes) && a.begin < b.end && b.begin < a.end &&
         isSameCopy(a, iterationA, b, iterationB);
}

/// Buffers that instructions of more than one stream touch: only there can a
/// hazard be.
static std::vector<bool>
findSharedBuffers(const std::vector<ScheduledInstruction> &instructions) {
  std::map<unsigned, unsigned> firstStream;
  std::vector<bool> shared;
  for (const ScheduledInstruction &instruction : instructions) {
    for (const ByteAccess &access : instruction.accesses) {
      shared.resize(std::max<size_t>(shared.size(), access.buffer + 1));
      auto stream =
          firstStream.try_emplace(access.buffer, instruction.stream).first;
      shared[access.buffer] =
          shared[access.buffer] || stream->second != instruction.stream;
    }
  }
  return shared;
}

namespace {

/// One run over the unrolled function with vector clocks.
class HazardSweep {
public:
  HazardSweep(const ScheduleProblem &problem,
              llvm::function_ref<bool(const Hazard &)> resolve)
      : problem(problem), resolve(resolve),
        order(problem, countIterations(problem)),
        shared(findSharedBuffers(problem.instructions)) {}

  std::optional<Hazard> run() {
    for (unsigned e = 0; e < order.size(); ++e) {
      order.begin(e);
      if (std::optional<Hazard> hazard = visitAccesses(e)) {
        return hazard;
      }
      order.end(e);
    }
    return std::nullopt;
  }

private:
  struct Past {
    unsigned execution;
    const ByteAccess *access;
  };

  const std::vector<ByteAccess> &accessesOf(unsigned e) const {
    return problem.instructions[order[e].instruction].accesses;
  }

  std::optional<Hazard> visitAccesses(unsigned e) {
    while (const Past *past = findUnordered(e)) {
      const StreamOrder::Execution &earlier = order[past->execution];
      Hazard hazard{earlier.instruction, order[e].instruction,
                    earlier.iteration, order[e].iteration,
                    past->access->buffer};
      if (!resolve || !resolve(hazard)) {
        return hazard;
      }
      order.addOrder(past->execution, e);
    }
    for (const ByteAccess &access : accessesOf(e)) {
      if (shared[access.buffer]) {
        remember(access, e);
      }
    }
    return std::nullopt;
  }

  /// Of the conflicting executions that nothing orders before `e`, the last of
  /// its stream: whoever waits for it has waited for the others.
  const Past *findUnordered(unsigned e) const {
    const Past *found = nullptr;
    for (const ByteAccess &access : accessesOf(e)) {
      if (!shared[access.buffer]) {
        continue;
      }
      auto known = history.find(access.buffer);
      if (known == history.end()) {
        continue;
      }
      for (const Past &past : known->second) {
        bool isLater = !found || past.execution > found->execution;
        if (isLater && !order.isBefore(past.execution, e) &&
            conflict(*past.access, order[past.execution].iteration, access,
                     order[e].iteration)) {
          found = &past;
        }
      }
    }
    return found;
  }

  /// Forgets what is ordered before this access and covered by it: whoever is
  /// ordered behind this one is ordered behind that one.
  void remember(const ByteAccess &access, unsigned e) {
    std::vector<Past> &past = history[access.buffer];
    llvm::erase_if(past, [&](const Past &before) {
      const ByteAccess &other = *before.access;
      return access.begin <= other.begin && other.end <= access.end &&
             (access.writes || !other.writes) &&
             order.isBefore(before.execution, e) &&
             isSameCopy(other, order[before.execution].iteration, access,
                        order[e].iteration);
    });
    past.push_back({e, &access});
  }

  const ScheduleProblem &problem;
  llvm::function_ref<bool(const Hazard &)> resolve;
  StreamOrder order;
  std::vector<bool> shared;
  std::map<unsigned, std::vector<Past>> history; ///< by buffer
};

} // namespace

std::optional<Hazard> ScheduleProblem::findHazard(
    llvm::function_ref<bool(const Hazard &)> resolve) const {
  return HazardSweep(*this, resolve).run();
}

ScheduleProblem accel::readSchedule(Operation *function) {
  ScheduleProblem problem;
  plan::StreamList streams(function);
  problem.numStreams = streams.get().size() + 1; // one more: not declared
  llvm::DenseMap<Operation *, unsigned> bufferNumbers;
  function->walk([&](plan::InstructionOpInterface op) {
    ScheduledInstruction instruction;
    instruction.op = op;
    instruction.stream = streams.find(op).value_or(streams.get().size());
    instruction.inLoop = op->getParentOfType<plan::RepeatOp>() != nullptr;
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferRange range = plan::getBufferRange(access.buffer);
      unsigned number =
          bufferNumbers.try_emplace(range.buffer, bufferNumbers.size())
              .first->second;
      unsigned copies = range.buffer.getCopies();
      unsigned rotation = copies > 1 ? op.getRotation() : 0;
      bool writes = access.access != plan::Access::Read;
      // A buffer that buckets take turns in is one thing: no bucket begins to
      // come while any segment of the one before it is in use, or three would
      // be there in part.
      if (range.buffer.getKlass() == plan::MemoryClass::Gathered) {
        range.begin = 0;
        range.bytes = plan::getMemRefBytes(
            cast<MemRefType>(range.buffer.getResult().getType()));
      }
      instruction.accesses.push_back({number, range.begin,
                                      range.begin + range.bytes, writes, copies,
                                      rotation});
    }
    for (plan::WaitAttr wait : op.getWaitedEvents()) {
      auto event = static_cast<unsigned>(wait.getEvent());
      instruction.waits.push_back(
          {event, static_cast<unsigned>(wait.getDistance())});
      problem.numEvents = std::max(problem.numEvents, event + 1);
    }
    for (int64_t event : op.getSignalledEvents()) {
      instruction.signals.push_back(event);
      problem.numEvents = std::max<unsigned>(problem.numEvents, event + 1);
    }
    problem.instructions.push_back(std::move(instruction));
  });
  return problem;
}
