// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which executions are ordered by lanes and events, by vector clocks over an
// unrolled function.
#include "passes/Schedule/ScheduleProblem.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace accel;

std::vector<ScheduleProblem::Execution> ScheduleProblem::unroll() const {
  unsigned reach = 2;
  for (const ScheduledInstruction &instruction : instructions) {
    for (const EventWait &wait : instruction.waits) {
      reach = std::max(reach, wait.distance + 1);
    }
    for (const ByteAccess &access : instruction.accesses) {
      reach = std::max(reach, access.copies + access.rotation);
    }
  }
  std::vector<Execution> executions;
  for (unsigned i = 0; i < instructions.size();) {
    if (!instructions[i].inLoop) {
      executions.push_back({i++, 0});
      continue;
    }
    unsigned end = i;
    while (end < instructions.size() && instructions[end].inLoop) {
      ++end;
    }
    // Twice the reach: every distance occurs both between early and between
    // late iterations.
    for (unsigned iteration = 0; iteration < 2 * reach; ++iteration) {
      for (unsigned j = i; j < end; ++j) {
        executions.push_back({j, iteration});
      }
    }
    i = end;
  }
  return executions;
}

namespace {

/// Where in the unrolled function each signal of an event is given.
struct Signal {
  unsigned execution;
  unsigned iteration;
  bool inLoop;
};

/// The signal that a wait is for; none if the event cannot have been signalled
/// that long ago.
const Signal *findSignal(const std::vector<Signal> &signals,
                         const EventWait &wait, bool waiterInLoop,
                         unsigned iteration) {
  if (signals.empty()) {
    return nullptr;
  }
  if (!signals.front().inLoop) {
    return &signals.front();
  }
  if (!waiterInLoop) {
    return &signals.back();
  }
  if (iteration < wait.distance) {
    return nullptr;
  }
  for (const Signal &signal : signals) {
    if (signal.iteration == iteration - wait.distance) {
      return &signal;
    }
  }
  return nullptr;
}

} // namespace

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

/// Buffers that instructions of more than one lane touch: only there can a
/// hazard be.
static std::vector<bool>
findSharedBuffers(const std::vector<ScheduledInstruction> &instructions) {
  std::map<unsigned, unsigned> firstLane;
  std::vector<bool> shared;
  for (const ScheduledInstruction &instruction : instructions) {
    for (const ByteAccess &access : instruction.accesses) {
      shared.resize(std::max<size_t>(shared.size(), access.buffer + 1));
      auto lane = firstLane.try_emplace(access.buffer, instruction.lane).first;
      shared[access.buffer] =
          shared[access.buffer] || lane->second != instruction.lane;
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
      : problem(problem), resolve(resolve), executions(problem.unroll()),
        shared(findSharedBuffers(problem.instructions)),
        signals(problem.numEvents), done(problem.numLanes, 0),
        laneClocks(problem.numLanes, Clock(problem.numLanes, 0)) {}

  std::optional<Hazard> run() {
    for (unsigned e = 0; e < executions.size(); ++e) {
      const ScheduledInstruction &instruction = instructionOf(e);
      Clock &clock = laneClocks[instruction.lane];
      clock[instruction.lane] = done[instruction.lane];
      for (const EventWait &wait : instruction.waits) {
        const Signal *signal =
            findSignal(signals[wait.event], wait, instruction.inLoop,
                       executions[e].iteration);
        if (signal) {
          joinClock(clock, signal->execution);
        }
      }
      clocks.push_back(clock);
      if (std::optional<Hazard> hazard = visitAccesses(e)) {
        return hazard;
      }
      ++done[instruction.lane];
      for (unsigned event : instruction.signals) {
        signals[event].push_back(
            {e, executions[e].iteration, instruction.inLoop});
      }
    }
    return std::nullopt;
  }

private:
  /// By lane: how many of its executions are known to be done.
  using Clock = std::vector<unsigned>;

  struct Past {
    unsigned execution;
    unsigned rank; ///< position in its lane
    const ByteAccess *access;
  };

  const ScheduledInstruction &instructionOf(unsigned execution) const {
    return problem.instructions[executions[execution].instruction];
  }

  /// Everything known when `signaller` started, and that it is done itself.
  void joinClock(Clock &clock, unsigned signaller) const {
    unsigned lane = instructionOf(signaller).lane;
    for (unsigned l = 0; l < clock.size(); ++l) {
      clock[l] = std::max(clock[l], clocks[signaller][l] + (l == lane ? 1 : 0));
    }
  }

  bool isOrdered(const Past &past, unsigned e) const {
    unsigned lane = instructionOf(past.execution).lane;
    return lane == instructionOf(e).lane || clocks[e][lane] > past.rank;
  }

  std::optional<Hazard> visitAccesses(unsigned e) {
    while (const Past *past = findUnordered(e)) {
      Hazard hazard{executions[past->execution].instruction,
                    executions[e].instruction,
                    executions[past->execution].iteration,
                    executions[e].iteration, past->access->buffer};
      if (!resolve || !resolve(hazard)) {
        return hazard;
      }
      joinClock(clocks[e], past->execution);
      laneClocks[instructionOf(e).lane] = clocks[e];
    }
    for (const ByteAccess &access : instructionOf(e).accesses) {
      if (shared[access.buffer]) {
        remember(access, e);
      }
    }
    return std::nullopt;
  }

  /// Of the conflicting executions that nothing orders before `e`, the last of
  /// its lane: whoever waits for it has waited for the others.
  const Past *findUnordered(unsigned e) const {
    const Past *found = nullptr;
    for (const ByteAccess &access : instructionOf(e).accesses) {
      if (!shared[access.buffer]) {
        continue;
      }
      auto known = history.find(access.buffer);
      if (known == history.end()) {
        continue;
      }
      for (const Past &past : known->second) {
        bool isLater = !found || past.execution > found->execution;
        if (isLater && !isOrdered(past, e) &&
            conflict(*past.access, executions[past.execution].iteration, access,
                     executions[e].iteration)) {
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
             (access.writes || !other.writes) && isOrdered(before, e) &&
             isSameCopy(other, executions[before.execution].iteration, access,
                        executions[e].iteration);
    });
    past.push_back({e, done[instructionOf(e).lane], &access});
  }

  const ScheduleProblem &problem;
  llvm::function_ref<bool(const Hazard &)> resolve;
  std::vector<ScheduleProblem::Execution> executions;
  std::vector<bool> shared;
  std::vector<std::vector<Signal>> signals;      ///< by event
  std::vector<unsigned> done;                    ///< by lane, in program order
  std::vector<Clock> laneClocks;                 ///< by lane
  std::vector<Clock> clocks;                     ///< by execution
  std::map<unsigned, std::vector<Past>> history; ///< by buffer
};

} // namespace

std::optional<Hazard> ScheduleProblem::findHazard(
    llvm::function_ref<bool(const Hazard &)> resolve) const {
  return HazardSweep(*this, resolve).run();
}

std::optional<unsigned> ScheduleProblem::findDeadlock() const {
  std::vector<int> signalled(numEvents, -1);
  for (unsigned i = 0; i < instructions.size(); ++i) {
    for (unsigned event : instructions[i].signals) {
      signalled[event] = i;
    }
  }
  for (unsigned i = 0; i < instructions.size(); ++i) {
    for (const EventWait &wait : instructions[i].waits) {
      int signal = wait.event < numEvents ? signalled[wait.event] : -1;
      bool earlierIteration = signal >= 0 && wait.distance > 0 &&
                              instructions[signal].inLoop &&
                              instructions[i].inLoop;
      if (signal < 0 || (signal >= static_cast<int>(i) && !earlierIteration)) {
        return i;
      }
    }
  }
  return std::nullopt;
}

ScheduleProblem accel::readSchedule(Operation *function) {
  ScheduleProblem problem;
  llvm::DenseMap<Operation *, unsigned> bufferNumbers;
  function->walk([&](plan::InstructionOpInterface op) {
    ScheduledInstruction instruction;
    instruction.op = op;
    instruction.lane = static_cast<unsigned>(op.getLaneOrDefault());
    instruction.inLoop = op->getParentOfType<plan::RepeatOp>() != nullptr;
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferRange range = plan::getBufferRange(access.buffer);
      unsigned number =
          bufferNumbers.try_emplace(range.buffer, bufferNumbers.size())
              .first->second;
      unsigned copies = range.buffer.getCopies();
      unsigned rotation = copies > 1 ? op.getRotation() : 0;
      bool writes = access.access != plan::Access::Read;
      // A slot is one thing: no bucket begins to come while any segment of the
      // one before it is in use, or three would be there in part.
      if (range.buffer.getSpace() == "shared") {
        range.begin = 0;
        range.bytes = plan::getMemRefBytes(
            cast<MemRefType>(range.buffer.getResult().getType()));
      }
      instruction.accesses.push_back({number, range.begin,
                                      range.begin + range.bytes, writes, copies,
                                      rotation});
    }
    for (auto [event, distance] : op.getWaitedEvents()) {
      instruction.waits.push_back(
          {static_cast<unsigned>(event), static_cast<unsigned>(distance)});
      problem.numEvents = std::max<unsigned>(problem.numEvents, event + 1);
    }
    for (int64_t event : op.getSignalledEvents()) {
      instruction.signals.push_back(event);
      problem.numEvents = std::max<unsigned>(problem.numEvents, event + 1);
    }
    problem.instructions.push_back(std::move(instruction));
  });
  return problem;
}
