// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which executions are ordered by lanes and events, by vector clocks over an
// unrolled function.
#include "passes/Schedule/ScheduleProblem.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/DenseMap.h"

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

std::vector<std::vector<unsigned>>
ScheduleProblem::computeClocks(const std::vector<Execution> &executions) const {
  std::vector<std::vector<Signal>> signals(numEvents);
  std::vector<unsigned> done(
      numLanes, 0); // executions of each lane so far, in program order
  std::vector<std::vector<unsigned>> laneClock(
      numLanes, std::vector<unsigned>(numLanes, 0));
  std::vector<std::vector<unsigned>> clocks;
  for (unsigned e = 0; e < executions.size(); ++e) {
    const ScheduledInstruction &instruction =
        instructions[executions[e].instruction];
    std::vector<unsigned> &clock = laneClock[instruction.lane];
    clock[instruction.lane] = done[instruction.lane];
    for (const EventWait &wait : instruction.waits) {
      const Signal *signal =
          findSignal(signals[wait.event], wait, instruction.inLoop,
                     executions[e].iteration);
      if (!signal) {
        continue;
      }
      unsigned lane =
          instructions[executions[signal->execution].instruction].lane;
      for (unsigned l = 0; l < numLanes; ++l) {
        // The signal is given after the execution, so one more of its lane is
        // done than when it started.
        clock[l] = std::max(clock[l],
                            clocks[signal->execution][l] + (l == lane ? 1 : 0));
      }
    }
    clocks.push_back(clock);
    ++done[instruction.lane];
    for (unsigned event : instruction.signals) {
      signals[event].push_back(
          {e, executions[e].iteration, instruction.inLoop});
    }
  }
  return clocks;
}

static bool overlap(const ByteAccess &a, unsigned iterationA,
                    const ByteAccess &b, unsigned iterationB) {
  bool sameCopy = (iterationA + a.rotation) % a.copies ==
                  (iterationB + b.rotation) % b.copies;
  return a.buffer == b.buffer && sameCopy && (a.writes || b.writes) &&
         a.begin < b.end && b.begin < a.end;
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

std::optional<Hazard> ScheduleProblem::findHazard() const {
  std::vector<bool> shared = findSharedBuffers(instructions);
  std::vector<Execution> executions = unroll();
  std::vector<std::vector<unsigned>> clocks = computeClocks(executions);
  struct Past {
    unsigned execution;
    unsigned rank; ///< position in its lane
    const ByteAccess *access;
  };
  std::map<unsigned, std::vector<Past>> history; // by buffer
  std::vector<unsigned> done(numLanes, 0);
  for (unsigned e = 0; e < executions.size(); ++e) {
    const ScheduledInstruction &instruction =
        instructions[executions[e].instruction];
    for (const ByteAccess &access : instruction.accesses) {
      if (!shared[access.buffer]) {
        continue;
      }
      for (const Past &past : history[access.buffer]) {
        const Execution &before = executions[past.execution];
        unsigned lane = instructions[before.instruction].lane;
        bool ordered = lane == instruction.lane || clocks[e][lane] > past.rank;
        if (!ordered && overlap(*past.access, before.iteration, access,
                                executions[e].iteration)) {
          return Hazard{before.instruction, executions[e].instruction,
                        before.iteration, executions[e].iteration,
                        access.buffer};
        }
      }
    }
    for (const ByteAccess &access : instruction.accesses) {
      if (shared[access.buffer]) {
        history[access.buffer].push_back({e, done[instruction.lane], &access});
      }
    }
    ++done[instruction.lane];
  }
  return std::nullopt;
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
