// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For how many blocks of a kernel a GPU's processor shall have room: the
// decision, from what ptxas makes of the kernel under each bound.
#ifndef ACCEL_PASSES_LOWER_CUDA_LAUNCHBOUND_H
#define ACCEL_PASSES_LOWER_CUDA_LAUNCHBOUND_H

#include "passes/Lower/Cuda/Ptxas.h"

#include <cstdint>

namespace accel {

/// The search for one kernel, which begins with what ptxas chooses by itself.
///
/// Where fewer than half of the processor's threads have room, it asks for more
/// blocks, step by step, until ptxas spills registers or writes noticeably
/// longer code. Where ptxas spills, it asks for fewer blocks, until ptxas does
/// not. A step is the next number of blocks that have another number of
/// registers.
class LaunchBoundSearch {
public:
  /// `processorThreads`: as getProcessorThreads says. `bound`: what the kernel
  /// was assembled with; 0: none.
  LaunchBoundSearch(unsigned processorThreads, const AssembledKernel &first,
                    unsigned bound);

  /// The bound to assemble the kernel with next; 0: the search is over.
  unsigned getNext() const { return next; }
  /// Requires: `found` is the kernel under the bound getNext().
  void add(const AssembledKernel &found);

  /// The best bound so far; 0: none.
  unsigned getBound() const { return bound; }
  /// Blocks that a processor has room for under that bound.
  unsigned getBlocks() const { return countBlocks(best.registers); }

private:
  unsigned countBlocks(unsigned registers) const;
  unsigned chooseNext() const;

  unsigned mostBlocks; ///< that have room for their threads
  uint64_t longest;    ///< code, in bytes, that is worth more blocks
  AssembledKernel best;
  unsigned bound;
  unsigned step; ///< blocks that the search has come to
  unsigned next;
};

} // namespace accel

#endif
