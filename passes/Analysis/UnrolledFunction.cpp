// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges between executions and what they reach.
#include "passes/Analysis/UnrolledFunction.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

UnrolledFunction::UnrolledFunction(Operation *function, unsigned iterations) {
  std::vector<Execution> loop;
  auto flush = [&] {
    for (unsigned i = 0; i < iterations; ++i) {
      for (Execution each : loop) {
        each.iteration = i;
        executions.push_back(each);
      }
    }
    loop.clear();
  };
  plan::StreamList list(function);
  function->walk([&](plan::InstructionOpInterface op) {
    // One that is not declared is VerifySchedule's finding.
    unsigned stream = list.find(op).value_or(list.get().size());
    streams = std::max(streams, stream + 1);
    if (op->getParentOfType<plan::RepeatOp>()) {
      loop.push_back({op, stream, 0, /*inLoop=*/true});
    } else {
      flush();
      executions.push_back({op, stream, 0, /*inLoop=*/false});
    }
  });
  flush();
  addEdges();
  reachBackwards();
}

void UnrolledFunction::addEdges() {
  followers.resize(executions.size());
  std::vector<std::optional<unsigned>> last(streams);
  for (unsigned e = 0; e < executions.size() && !badEvent; ++e) {
    const Execution &execution = executions[e];
    if (std::optional<unsigned> before = last[execution.stream]) {
      followers[*before].push_back(e);
    }
    last[execution.stream] = e;
    for (plan::WaitAttr wait : execution.getInstruction().getWaitedEvents()) {
      // Nothing gave it so long ago that it was before the first iteration.
      bool isBeforeFirst =
          execution.inLoop && execution.iteration < wait.getDistance();
      std::optional<unsigned> signal =
          findSignal(wait.getEvent(), wait.getDistance(), e);
      if (signal) {
        followers[*signal].push_back(e);
      } else if (!isBeforeFirst) {
        badEvent = execution.op;
      }
    }
    for (int64_t event : execution.getInstruction().getSignalledEvents()) {
      given.resize(std::max<size_t>(given.size(), event + 1));
      if (!given[event].empty() &&
          executions[given[event].front()].op != execution.op) {
        badEvent = execution.op;
      }
      given[event].push_back(e);
    }
  }
}

/// Who gave the signal that execution `e` waits for; none if nobody has.
std::optional<unsigned> UnrolledFunction::findSignal(int64_t event,
                                                     int64_t distance,
                                                     unsigned e) const {
  if (event >= static_cast<int64_t>(given.size()) || given[event].empty()) {
    return std::nullopt;
  }
  const std::vector<unsigned> &signals = given[event];
  bool inLoop = executions[signals.front()].inLoop;
  if (!inLoop || !executions[e].inLoop) {
    return signals.back();
  }
  auto found = llvm::find_if(signals, [&](unsigned signal) {
    return executions[signal].iteration + distance == executions[e].iteration;
  });
  return found == signals.end() ? std::nullopt : std::optional(*found);
}

void UnrolledFunction::reachBackwards() {
  unsigned never = executions.size();
  reached.assign(executions.size(), std::vector<unsigned>(streams, never));
  for (unsigned e = executions.size(); e-- > 0;) {
    std::vector<unsigned> &first = reached[e];
    for (unsigned follower : followers[e]) {
      for (unsigned s = 0; s < streams; ++s) {
        first[s] = std::min(first[s], reached[follower][s]);
      }
    }
    // Behind the others: who asks whether a follower is ordered finds itself.
    for (unsigned follower : followers[e]) {
      unsigned &mine = first[executions[follower].stream];
      mine = std::min(mine, follower);
    }
  }
}

unsigned UnrolledFunction::countIterations(Operation *function) {
  int64_t reach = 1;
  function->walk([&](plan::InstructionOpInterface op) {
    for (plan::BufferAccess access : op.getAccesses()) {
      auto copies = static_cast<int64_t>(
          plan::getBufferRange(access.buffer).buffer.getCopies());
      reach = std::max(reach, copies + (copies > 1 ? op.getRotation() : 0));
    }
    for (plan::WaitAttr wait : op.getWaitedEvents()) {
      reach = std::max(reach, wait.getDistance());
    }
  });
  return reach + 1;
}
