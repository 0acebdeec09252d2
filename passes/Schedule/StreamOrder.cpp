// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks, execution by execution.
#include "passes/Schedule/StreamOrder.h"

#include <algorithm>

using namespace accel;

StreamOrder::StreamOrder(const ScheduleProblem &problem, unsigned iterations)
    : problem(problem), firstExecution(problem.instructions.size()),
      signals(problem.numEvents), done(problem.numStreams, 0),
      streamClocks(problem.numStreams, Clock(problem.numStreams, 0)) {
  const auto &instructions = problem.instructions;
  for (unsigned i = 0; i < instructions.size();) {
    unsigned end = i + 1;
    while (instructions[i].inLoop && end < instructions.size() &&
           instructions[end].inLoop) {
      ++end;
    }
    loopLength = instructions[i].inLoop ? end - i : loopLength;
    for (unsigned j = i; j < end; ++j) {
      firstExecution[j] = executions.size() + j - i;
    }
    for (unsigned k = 0; k < (instructions[i].inLoop ? iterations : 1); ++k) {
      for (unsigned j = i; j < end; ++j) {
        executions.push_back({j, k});
      }
    }
    i = end;
  }
  ranks.resize(executions.size());
}

/// The signal that a wait is for; none if the event cannot have been signalled
/// that long ago.
const StreamOrder::Signal *StreamOrder::findSignal(const EventWait &wait,
                                                   unsigned e) const {
  const std::vector<Signal> &given = signals[wait.event];
  if (given.empty()) {
    return nullptr;
  }
  if (!given.front().inLoop) {
    return &given.front();
  }
  if (!problem.instructions[executions[e].instruction].inLoop) {
    return &given.back();
  }
  for (const Signal &signal : given) {
    if (signal.iteration + wait.distance == executions[e].iteration) {
      return &signal;
    }
  }
  return nullptr;
}

void StreamOrder::begin(unsigned e) {
  unsigned stream = getStream(e);
  ranks[e] = done[stream];
  streamClocks[stream][stream] = done[stream];
  clocks.push_back(streamClocks[stream]);
  for (const EventWait &wait :
       problem.instructions[executions[e].instruction].waits) {
    if (const Signal *signal = findSignal(wait, e)) {
      addOrder(signal->execution, e);
    }
  }
}

void StreamOrder::end(unsigned e) {
  const ScheduledInstruction &instruction =
      problem.instructions[executions[e].instruction];
  ++done[instruction.stream];
  for (unsigned event : instruction.signals) {
    signals[event].push_back({e, executions[e].iteration, instruction.inLoop});
  }
}

/// Everything known when `earlier` began is known, and that it is done itself.
void StreamOrder::addOrder(unsigned earlier, unsigned later) {
  unsigned stream = getStream(earlier);
  Clock &clock = clocks[later];
  for (unsigned s = 0; s < clock.size(); ++s) {
    clock[s] = std::max(clock[s], clocks[earlier][s]);
  }
  clock[stream] = std::max(clock[stream], ranks[earlier] + 1);
  streamClocks[getStream(later)] = clock;
}
