// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of the plan replayed over its memory, byte range by byte range.
// Verifiers use it; what they verify does not.
#ifndef ACCEL_PASSES_ANALYSIS_MEMORYREPLAY_H
#define ACCEL_PASSES_ANALYSIS_MEMORYREPLAY_H

#include "passes/Analysis/UnrolledFunction.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>

namespace accel {

/// Bytes [begin, end) of one of the memories that are replayed.
struct ReplayedBytes {
  uint64_t memory = 0; ///< what is told apart by this number does not overlap
  int64_t begin = 0;
  int64_t end = 0;
};

/// Two executions that may not be where they are.
struct ReplayFault {
  enum Kind {
    Unordered,   ///< both touch the same bytes, and nothing orders them
    Overwritten, ///< the later one reads what the earlier one wrote over
    Unwritten,   ///< the later one reads what nothing has written
    Aliased,     ///< one execution has two buffers in the same bytes
  };
  Kind kind;
  unsigned earlier = 0, later = 0; ///< executions
  plan::BufferOp earlierBuffer, laterBuffer;
};

/// Every byte remembers its last write and the reads since.
/// Borrows: the function.
class MemoryReplay {
public:
  /// Where an access of the execution is; none: it is not replayed.
  using Locate = llvm::function_ref<std::optional<ReplayedBytes>(
      const UnrolledFunction::Execution &, const plan::BufferAccess &)>;

  explicit MemoryReplay(const UnrolledFunction &function)
      : function(function) {}

  /// Two accesses to overlapping bytes, one of them a write, that streams and
  /// events do not order: of one buffer or of two, or of two only.
  std::optional<ReplayFault> findUnordered(Locate locate,
                                           bool betweenBuffersOnly = false);
  /// In program order: a read of bytes that hold another buffer's contents or
  /// none, or an instruction that has two buffers, one of them to write, in the
  /// same bytes.
  std::optional<ReplayFault> findWrongContents(Locate locate);

private:
  struct Access {
    unsigned execution;
    plan::BufferOp buffer;
  };
  struct History {
    std::optional<Access> write;
    llvm::SmallVector<Access, 2> reads; ///< since then, the last of each stream
  };
  struct Piece {
    int64_t end;
    History history;
  };
  using Visit = llvm::function_ref<void(History &)>;

  /// Visits the history of each piece of the bytes, cutting pieces to fit.
  void forEach(const ReplayedBytes &bytes, Visit visit);
  void splitAt(std::map<int64_t, Piece> &pieces, int64_t position);
  void record(const ReplayedBytes &bytes, const Access &access, bool writes);

  const UnrolledFunction &function;
  std::map<uint64_t, std::map<int64_t, Piece>> memories; ///< pieces by begin
};

} // namespace accel

#endif
