// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Schedule decides about: instructions on streams, the bytes they touch,
// and the events that order them.
#ifndef ACCEL_PASSES_SCHEDULE_SCHEDULEPROBLEM_H
#define ACCEL_PASSES_SCHEDULE_SCHEDULEPROBLEM_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace accel {

/// Bytes [begin, end) of copy (iteration + rotation) mod copies of a buffer.
struct ByteAccess {
  unsigned buffer = 0;
  int64_t begin = 0;
  int64_t end = 0;
  bool writes = false;
  unsigned copies = 1;
  unsigned rotation = 0;
};

/// A wait for the signal that an event gave `distance` iterations ago.
struct EventWait {
  unsigned event = 0;
  unsigned distance = 0;
};

/// One instruction of a function, in program order.
struct ScheduledInstruction {
  mlir::Operation *op = nullptr;
  unsigned stream = 0;
  bool inLoop = false;
  std::vector<ByteAccess> accesses;
  std::vector<EventWait> waits;
  std::vector<unsigned> signals;
};

/// Two accesses to the same bytes that nothing orders.
struct Hazard {
  unsigned first = 0;  ///< instruction
  unsigned second = 0; ///< instruction
  unsigned firstIteration = 0, secondIteration = 0;
  unsigned buffer = 0;
};

/// A function as Schedule sees it. The instructions of its loop, if any, are
/// consecutive.
class ScheduleProblem {
public:
  std::vector<ScheduledInstruction> instructions;
  unsigned numStreams = 1;
  unsigned numEvents = 0;

  /// Finds two accesses to overlapping bytes, at least one of them a write, on
  /// different streams that are not ordered by streams and events. The loop is
  /// followed for as many iterations as double buffering and distances can
  /// reach over: beyond, everything repeats. Instructions of one stream run in
  /// program order; nothing is assumed about streams otherwise.
  ///
  /// With `resolve`: a pair for which it returns true is taken to be ordered
  /// from here on, and the search goes on.
  std::optional<Hazard>
  findHazard(llvm::function_ref<bool(const Hazard &)> resolve = nullptr) const;
};

/// Reads a function of the plan into a problem, with the streams, waits and
/// signals its instructions have.
ScheduleProblem readSchedule(mlir::Operation *function);

} // namespace accel

#endif
