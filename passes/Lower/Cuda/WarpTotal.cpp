// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves within threads, and across them by butterfly shuffles.
#include "passes/Lower/Cuda/WarpTotal.h"

using namespace mlir;
using namespace accel;

/// Thread t has lanes t, t + 32, ...: the upper half of the lanes is that of
/// each thread, until a thread has one.
Value WarpTotal::emitStrided(Values lanes) const {
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      lanes[i] = combine(lanes[i], lanes[i + half]);
    }
    lanes.resize(half);
  }
  Value total = lanes.front();
  for (int64_t distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    total = combineExchanged(total, total, distance);
  }
  return total;
}

/// Whether the bit of `distance` in the thread's place is set.
Value WarpTotal::emitUpperHalf(int64_t distance) const {
  Value bits = indices.div(warp.threadIndex(), distance);
  return indices.isEqual(indices.rem(bits, 2), indices.index(1));
}

/// Thread t has lanes 4 t to 4 t + 3: the upper half of the lanes is that of
/// the threads 16 to 31. Two threads that exchange lanes deal them out: each
/// combines half of them, and so has half as many to exchange with the next.
/// When each has one left, whose number in a thread these bits of its place
/// say, it is combined over the other bits; then those of other numbers follow.
/// Of four lanes that takes eight shuffles instead of twenty.
Value WarpTotal::emitOfNeighbours(Values lanes) const {
  SmallVector<int64_t> dealt;
  int64_t distance = kWarpThreads / 2;
  for (; lanes.size() > 1; distance /= 2) {
    Value isUpper = emitUpperHalf(distance);
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      Value low = lanes[i], high = lanes[i + half];
      Value own = indices.select(isUpper, high, low);
      Value given = indices.select(isUpper, low, high);
      lanes[i] = combineExchanged(own, given, distance);
    }
    lanes.resize(half);
    dealt.push_back(distance);
  }
  Value total = lanes.front();
  for (; distance > 0; distance /= 2) {
    total = combineExchanged(total, total, distance);
  }
  for (int64_t number : dealt) {
    total = combineExchanged(total, total, number);
  }
  return total;
}
