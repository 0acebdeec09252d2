// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps between numbers of blocks, and which of them are worth it.
#include "passes/Lower/Cuda/LaunchBound.h"

#include "passes/Target/Cuda/CudaTarget.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace accel;

/// Registers of a processor, of every generation, and the unit in which a
/// thread gets them.
static constexpr unsigned kRegisters = 65536;
static constexpr unsigned kRegisterUnit = 8;
/// What a thread takes that has all it can have, which are 255.
static constexpr unsigned kMostRegisters = 256;

/// Registers that each thread can have where so many blocks have room.
static unsigned countRegisters(unsigned blocks) {
  return llvm::alignDown(kRegisters / (kBlockThreads * blocks), kRegisterUnit);
}

unsigned LaunchBoundSearch::countBlocks(unsigned registers) const {
  unsigned perThread = llvm::alignTo(std::max(registers, 1u), kRegisterUnit);
  return std::min<unsigned>(mostBlocks,
                            kRegisters / (kBlockThreads * perThread));
}

/// Code may be a thirty-second longer: the smallest step adds more blocks than
/// that.
LaunchBoundSearch::LaunchBoundSearch(unsigned processorThreads,
                                     const AssembledKernel &first,
                                     unsigned bound)
    : mostBlocks(processorThreads / kBlockThreads),
      longest(first.size + first.size / 32), best(first), bound(bound),
      step(getBlocks()), next(chooseNext()) {}

unsigned LaunchBoundSearch::chooseNext() const {
  if (best.spilledBytes != 0) {
    unsigned registers = countRegisters(step) + kRegisterUnit;
    return registers <= kMostRegisters ? countBlocks(registers) : 0;
  }
  return 2 * step < mostBlocks ? countBlocks(countRegisters(step + 1)) : 0;
}

void LaunchBoundSearch::add(const AssembledKernel &found) {
  bool isForMore = best.spilledBytes == 0;
  if (isForMore && (found.spilledBytes != 0 || found.size > longest)) {
    next = 0;
    return;
  }
  best = found;
  bound = step = next;
  // Fewer blocks were asked for because more of them spill.
  next = isForMore || found.spilledBytes != 0 ? chooseNext() : 0;
}
