// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams and events say about the order of a function's instructions.
#ifndef ACCEL_PASSES_SCHEDULE_STREAMORDER_H
#define ACCEL_PASSES_SCHEDULE_STREAMORDER_H

#include "passes/Schedule/ScheduleProblem.h"

#include <vector>

namespace accel {

/// Vector clocks over a function whose loop is unrolled: for every execution of
/// an instruction, how many executions of each stream are done when it begins.
/// Borrows: the problem.
class StreamOrder {
public:
  /// One execution of an instruction.
  struct Execution {
    unsigned instruction;
    unsigned iteration; ///< of the loop; 0 outside
  };

  /// The loop's instructions are executed `iterations` times.
  StreamOrder(const ScheduleProblem &problem, unsigned iterations);

  /// Executions, numbered in program order.
  unsigned size() const { return executions.size(); }
  const Execution &operator[](unsigned e) const { return executions[e]; }
  unsigned getExecution(unsigned instruction, unsigned iteration) const {
    return firstExecution[instruction] + iteration * loopLength;
  }

  /// Executions are begun one after the other, each ended before the next.
  void begin(unsigned e);
  void end(unsigned e);
  /// Takes it that `later`, the last that has begun, waits for `earlier`.
  void addOrder(unsigned earlier, unsigned later);

  /// Whether `earlier` is done when `later` begins. Requires: both have begun.
  bool isBefore(unsigned earlier, unsigned later) const {
    unsigned stream = getStream(earlier);
    return stream == getStream(later) || clocks[later][stream] > ranks[earlier];
  }

private:
  using Clock = std::vector<unsigned>; ///< by stream
  struct Signal {
    unsigned execution;
    unsigned iteration;
    bool inLoop;
  };

  unsigned getStream(unsigned e) const {
    return problem.instructions[executions[e].instruction].stream;
  }
  const Signal *findSignal(const EventWait &wait, unsigned e) const;

  const ScheduleProblem &problem;
  std::vector<Execution> executions;
  std::vector<unsigned> firstExecution; ///< by instruction
  unsigned loopLength = 0;
  std::vector<std::vector<Signal>> signals; ///< by event
  std::vector<unsigned> done;               ///< by stream
  std::vector<Clock> streamClocks;          ///< by stream
  std::vector<Clock> clocks;                ///< by execution
  std::vector<unsigned> ranks; ///< by execution: its position in its stream
};

} // namespace accel

#endif
