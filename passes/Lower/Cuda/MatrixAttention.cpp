// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads keep from step to step, the loop over steps, and what is seen.
#include "passes/Lower/Cuda/MatrixAttention.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace accel;

MatrixAttention::MatrixAttention(KernelEmitter &emitter, Operation *op)
    : WarpAttention(emitter, op),
      ops(emitter.getBuilder(), emitter.getLoc(), query.element),
      takesProducts(!mask && !bias && softcap == 0.0 && scale > 0.0) {
  factor = (takesProducts ? scale : 1.0) * llvm::numbers::log2e;
  // The assembler would rather spill than let fewer blocks run at once.
  emitter.getCode()->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                             emitter.getBuilder().getI32IntegerAttr(1));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

MatrixAttention::KeptSums MatrixAttention::makeSums(int64_t steps) const {
  KeptSums kept(steps);
  for (std::array<Value, 4> &each : kept) {
    std::generate(each.begin(), each.end(), [&] { return rows.makeNumber(); });
  }
  return kept;
}

MatrixAttention::Sums MatrixAttention::zeroSums() const {
  Sums zeros;
  zeros.fill(m.number(0.0));
  return zeros;
}

void MatrixAttention::clear(const KeptSums &kept) const {
  set(kept, AllSums(kept.size(), zeroSums()));
}

MatrixAttention::AllSums MatrixAttention::get(const KeptSums &kept) const {
  AllSums sums(kept.size());
  for (auto [numbers, values] : llvm::zip_equal(kept, sums)) {
    llvm::transform(numbers, values.begin(),
                    [&](Value number) { return rows.get(number); });
  }
  return sums;
}

void MatrixAttention::set(const KeptSums &kept, ArrayRef<Sums> sums) const {
  for (auto [numbers, values] : llvm::zip_equal(kept, sums)) {
    for (auto [number, value] : llvm::zip_equal(numbers, values)) {
      rows.set(number, value);
    }
  }
}

MatrixAttention::Sums MatrixAttention::multiply(const MatrixRows::Lefts &left,
                                                const MatrixRows::Rights &right,
                                                Sums sums) const {
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    sums = ops.multiply(a, b, sums);
  }
  return sums;
}

void MatrixAttention::accumulate(const KeptSums &kept,
                                 const MatrixOps::Left &left,
                                 const MatrixRows::Rights &right) const {
  AllSums sums = get(kept);
  for (auto [sum, b] : llvm::zip_equal(sums, right)) {
    sum = ops.multiply(left, b, sum);
  }
  set(kept, sums);
}

MatrixOps::Left MatrixAttention::asLeft(const Sums &low,
                                        const Sums &high) const {
  return {ops.pack(low[0], low[1]), ops.pack(low[2], low[3]),
          ops.pack(high[0], high[1]), ops.pack(high[2], high[3])};
}

//===----------------------------------------------------------------------===//
// Places and scores
//===----------------------------------------------------------------------===//

std::array<MatrixAttention::Range, 2>
MatrixAttention::keysOf(Value first) const {
  Value columns = indices.index(sizes.columns);
  Value end =
      indices.min(columns, endOfKeys(indices.add(first, sizes.queryRows - 1)));
  Value whole = floorStep(indices.min(columns, endOfKeys(first)));
  return {Range{whole, false}, Range{end, true}};
}

void MatrixAttention::forEachStep(Value begin, ArrayRef<Range> ranges,
                                  int64_t count, LoadStep load, StepBody body) {
  Value last = indices.index((count - 1) / kStep * kStep);
  SmallVector<Value> kept;
  for (Value word : load(indices.min(begin, last))) {
    kept.push_back(emitter.allocate(word.getType(), {}));
    rows.set(kept.back(), word);
  }
  for (const Range &range : ranges) {
    emitter.forEach(begin, range.end, kStep, [&](Value first) {
      Words words;
      llvm::transform(kept, std::back_inserter(words),
                      [&](Value each) { return rows.get(each); });
      Words next = load(indices.min(indices.add(first, kStep), last));
      body(first, words, range.looks);
      for (auto [each, word] : llvm::zip_equal(kept, next)) {
        rows.set(each, word);
      }
    });
    begin = indices.max(begin, range.end);
  }
}

Value MatrixAttention::rowAt(Value first, unsigned i) const {
  return indices.add(indices.add(first, ops.group()),
                     i / 2 * MatrixOps::kColumns);
}

Value MatrixAttention::columnAt(Value first, unsigned i) const {
  return indices.add(indices.add(first, indices.mul(ops.member(), 2)), i % 2);
}

Value MatrixAttention::isSeen(const Place &place) const {
  Value isThere =
      indices.both(indices.isBelow(place.query, indices.index(sizes.rows)),
                   indices.isBelow(place.key, indices.index(sizes.columns)));
  return sizes.causal
             ? indices.both(isThere,
                            indices.isLess(place.key, endOfKeys(place.query)))
             : isThere;
}

/// The place whose mask is read: one that exists.
WarpAttention::Place MatrixAttention::inside(const Place &place) const {
  return {place.batch, place.head,
          indices.min(place.query, indices.index(sizes.rows - 1)),
          indices.min(place.key, indices.index(sizes.columns - 1))};
}

Value MatrixAttention::logit(Value product, const Place &place, bool looks) {
  Value value = takesProducts ? product : score(product, inside(place));
  return looks ? m.select(isSeen(place), value, minusInfinity) : value;
}

Value MatrixAttention::shiftOf(Value lse) const {
  Value seesAny = m.compare(arith::CmpFPredicate::UNE, lse, minusInfinity);
  Value never = m.number(std::numeric_limits<double>::infinity());
  return m.mul(m.select(seesAny, lse, never), m.number(llvm::numbers::log2e));
}
