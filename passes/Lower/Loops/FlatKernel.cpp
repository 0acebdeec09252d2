// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat kernels: one sweep of a length known at run time.
//
//   %first = tile * %begin                    %n = min(tile * %end, elements)
//   - %first linalg.generic over [%first, %first + %n) of every buffer
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Lower/Loops/Kernels.h"
#include "passes/Lower/Loops/Sweep.h"

using namespace mlir;
using namespace accel;

/// Of an array from which on it comes from memory: two megabytes of floats are
/// as much as a second cache has.
static constexpr int64_t kFarElements = int64_t(1) << 19;

/// A single number: no loop to speak of.
static void emitSingle(KernelEmitter &emitter) {
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value) {
    SmallVector<Value> scalars;
    for (Value result : emitter.getResults()) {
      scalars.push_back(emitter.scalarAt(result, emitter.number(0)));
    }
    for (auto [i, scalar] : llvm::enumerate(scalars)) {
      if (scalar) {
        emitter.store(scalar, emitter.getResultBuffer(i), emitter.number(0),
                      emitter.getStoring(i));
      }
    }
  });
}

void accel::emitFlatKernel(KernelEmitter &emitter) {
  int64_t elements = emitter.getDomain().elements;
  if (elements == 1) {
    return emitSingle(emitter);
  }
  IndexArithmetic indices(emitter.getBuilder(), emitter.getLoc());
  int64_t tile = emitter.getGeometry().getTile();
  Value first =
      emitter.materialize(emitter.dimension(emitter.getBegin()) * tile);
  Value last = emitter.materialize(emitter.dimension(emitter.getEnd()) * tile);
  // An empty range may lie behind the last element.
  first = indices.min(first, emitter.index(elements));
  last = indices.min(last, emitter.index(elements));
  Value size = indices.sub(last, first);
  int64_t divisor = elements % tile == 0 ? tile : 1;
  Sweep sweep(emitter, {emitter.number(0), elements, first, size,
                        /*startsInFours=*/false, divisor,
                        /*isFar=*/elements >= kFarElements});
  for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
    if (getNumElements(result) != elements) {
      emitter.emitError(emitter.getKernel())
          << "expected results of " << elements << " elements, got "
          << result.getType();
      return;
    }
    if (Value lane = sweep.lane(result)) {
      sweep.store(lane, emitter.getResultBuffer(i), emitter.number(0),
                  emitter.getStoring(i));
    }
  }
  sweep.finish();
}
