// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of the plan with its loop unrolled, and which of its instructions
// streams and events order. Verifiers use it; what they verify does not.
#ifndef ACCEL_PASSES_ANALYSIS_UNROLLEDFUNCTION_H
#define ACCEL_PASSES_ANALYSIS_UNROLLEDFUNCTION_H

#include "dialects/Plan/IR/PlanOps.h"

#include <optional>
#include <vector>

namespace accel {

/// Edges lead from each instruction to the next one of its stream and from each
/// signal to those who wait for it; backwards along them, every execution
/// learns which is the first of each stream that comes after it.
class UnrolledFunction {
public:
  /// One execution of an instruction.
  struct Execution {
    mlir::Operation *op = nullptr;
    unsigned stream = 0;
    unsigned iteration = 0; ///< of the loop; 0 outside
    bool inLoop = false;

    plan::InstructionOpInterface getInstruction() const {
      return mlir::cast<plan::InstructionOpInterface>(op);
    }
  };

  /// The loop's instructions are executed `iterations` times, at least once.
  UnrolledFunction(mlir::Operation *function, unsigned iterations);

  /// In program order.
  const std::vector<Execution> &getExecutions() const { return executions; }
  /// An instruction that waits for an event that nothing before it signals, or
  /// signals one that another signals, too.
  mlir::Operation *getBadEvent() const { return badEvent; }

  /// Whether streams and events make `later` wait until `earlier` is done.
  /// Requires: `earlier` comes before `later` in program order.
  bool isOrdered(unsigned earlier, unsigned later) const {
    return reached[earlier][executions[later].stream] <= later;
  }

  /// How many iterations a function needs at most to show every conflict: that
  /// of an access with the same copy of a buffer, once all copies have passed.
  static unsigned countIterations(mlir::Operation *function);

private:
  void addEdges();
  std::optional<unsigned> findSignal(int64_t event, int64_t distance,
                                     unsigned e) const;
  void reachBackwards();

  std::vector<Execution> executions;
  std::vector<std::vector<unsigned>> given;     ///< by event: who signalled
  std::vector<std::vector<unsigned>> followers; ///< by execution
  std::vector<std::vector<unsigned>> reached;   ///< by execution and stream
  unsigned streams = 0;
  mlir::Operation *badEvent = nullptr;
};

} // namespace accel

#endif
