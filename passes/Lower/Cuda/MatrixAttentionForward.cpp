// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, a warp for 16 or 32 queries. What WarpAttention computes for a
// key, it computes for 16: the sums of a row, and its largest score, are those
// of the four threads of a group.
#include "passes/Lower/Cuda/MatrixAttention.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

namespace {

class ForwardKernel : public MatrixAttention {
public:
  ForwardKernel(KernelEmitter &emitter, AttentionOp op)
      : MatrixAttention(emitter, op), result(getResult(0)),
        lse(getBuffer(op.getLse())) {}

  void emit();

private:
  /// 16 queries.
  struct Block {
    MatrixRows::Lefts queries;
    Value first;
    std::array<Value, 2> maximum, total; ///< of its rows, kept
    KeptSums sums;
  };

  void emitTile(Value tile);
  void emitStep(const Place &head, const MatrixRows &values, Value first,
                ArrayRef<Value> words, bool looks);
  /// The probabilities of one of a thread's two rows take their places.
  void emitRow(const Block &block, unsigned half, const Place &head,
               Value first, AllSums &products, bool looks);
  /// The larger. What is no number is lost here, but not in the sums.
  Value larger(Value a, Value b) const {
    return LLVM::MaxNumOp::create(emitter.getBuilder(), emitter.getLoc(), a, b);
  }
  Value overGroup(Value value, llvm::function_ref<Value(Value, Value)> combine);
  void finish(const Block &block, const Place &head);
  Value finishRow(const Block &block, unsigned half, const Place &head);

  HeadTensor result;
  Value lse;
  SmallVector<Block> blocks;
};

void ForwardKernel::emit() {
  for (int64_t i = 0; i < sizes.queryRows / MatrixOps::kRows; ++i) {
    Block &block = blocks.emplace_back();
    block.sums = makeSums(sizes.width / MatrixOps::kColumns);
    for (unsigned half = 0; half < 2; ++half) {
      block.maximum[half] = rows.makeNumber();
      block.total[half] = rows.makeNumber();
    }
  }
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1,
                  [&](Value tile) { emitTile(tile); });
}

void ForwardKernel::emitTile(Value tile) {
  Place head = placeOfQueries(tile);
  Value keyHead = indices.div(head.head, sizes.group());
  MatrixRows queries(emitter, query, head.batch, head.head, sizes.queryRows);
  for (auto [i, block] : llvm::enumerate(blocks)) {
    block.first = indices.add(head.query, i * MatrixOps::kRows);
    block.queries = queries.readLeft(block.first);
    clear(block.sums);
    for (unsigned half = 0; half < 2; ++half) {
      rows.set(block.maximum[half], minusInfinity);
      rows.set(block.total[half], m.number(0.0));
    }
  }
  MatrixRows keys(emitter, key, head.batch, keyHead, kStep);
  MatrixRows values(emitter, value, head.batch, keyHead, kStep);
  auto load = [&](Value key) {
    Words words = values.loadAcross(key);
    for (int64_t n = 0; n < kProducts; ++n) {
      llvm::append_range(
          words, keys.loadAlong(indices.add(key, n * MatrixOps::kColumns)));
    }
    return words;
  };
  forEachStep(indices.index(0), keysOf(head.query), sizes.columns, load,
              [&](Value key, ArrayRef<Value> words, bool looks) {
                emitStep(head, values, key, words, looks);
              });
  for (const Block &block : blocks) {
    finish(block, head);
  }
}

void ForwardKernel::emitStep(const Place &head, const MatrixRows &values,
                             Value first, ArrayRef<Value> words, bool looks) {
  ArrayRef<Value> ofValues = words.take_front(values.wordsAcross());
  words = words.drop_front(ofValues.size());
  SmallVector<AllSums> products(blocks.size());
  for (int64_t n = 0; n < kProducts; ++n) {
    size_t each = words.size() / kProducts;
    MatrixRows::Rights right =
        MatrixRows::asRights(words.slice(n * each, each));
    for (auto [block, sums] : llvm::zip_equal(blocks, products)) {
      sums.push_back(multiply(block.queries, right, zeroSums()));
    }
  }
  for (auto [block, sums] : llvm::zip_equal(blocks, products)) {
    for (unsigned half = 0; half < 2; ++half) {
      emitRow(block, half, head, first, sums, looks);
    }
  }
  MatrixRows::Rights right = values.asColumns(ofValues);
  for (auto [block, sums] : llvm::zip_equal(blocks, products)) {
    accumulate(block.sums, asLeft(sums[0], sums[1]), right);
  }
}

Value ForwardKernel::overGroup(
    Value value, llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t distance : {1, 2}) {
    value = combine(value, ops.exchange(value, distance));
  }
  return value;
}

void ForwardKernel::emitRow(const Block &block, unsigned half,
                            const Place &head, Value first, AllSums &products,
                            bool looks) {
  auto forEach = [&](llvm::function_ref<void(Value &, const Place &)> body) {
    for (auto [n, sums] : llvm::enumerate(products)) {
      Value column = indices.add(first, n * MatrixOps::kColumns);
      for (unsigned i = 2 * half; i < 2 * half + 2; ++i) {
        body(sums[i], {head.batch, head.head, rowAt(block.first, i),
                       columnAt(column, i)});
      }
    }
  };
  Value largest;
  forEach([&](Value &each, const Place &place) {
    each = logit(each, place, looks);
    largest = largest ? larger(largest, each) : each;
  });
  largest = overGroup(largest, [&](Value a, Value b) { return larger(a, b); });
  Value before = rows.get(block.maximum[half]);
  Value now = larger(before, largest);
  rows.set(block.maximum[half], now);
  // A row that has seen nothing yet has powers of -inf, which are zero.
  Value seesAny = m.compare(arith::CmpFPredicate::UNE, now, minusInfinity);
  Value shift = m.mul(m.select(seesAny, now, m.number(0.0)), m.number(factor));
  Value decay = power(before, shift);
  Value total = m.mul(rows.get(block.total[half]), decay);
  forEach([&](Value &each, const Place &place) {
    Value p = power(each, shift);
    total = m.add(total, p);
    each = times(p, keptFactor(place));
  });
  rows.set(block.total[half], total);
  for (const std::array<Value, 4> &sums : block.sums) {
    for (unsigned i = 2 * half; i < 2 * half + 2; ++i) {
      rows.set(sums[i], m.mul(rows.get(sums[i]), decay));
    }
  }
}

/// Stores the row's lse; the inverse of its total.
Value ForwardKernel::finishRow(const Block &block, unsigned half,
                               const Place &head) {
  Value sum = overGroup(rows.get(block.total[half]),
                        [&](Value a, Value b) { return m.add(a, b); });
  Value seesAny = m.compare(arith::CmpFPredicate::UNE, sum, m.number(0.0));
  Value row = rowAt(block.first, 2 * half);
  Value isThere = indices.isBelow(row, indices.index(sizes.rows));
  Value isFirst = indices.isEqual(ops.member(), indices.index(0));
  emitter.onlyIf(indices.both(isThere, isFirst), [&] {
    if (lse) {
      Value known = m.fma(rows.get(block.maximum[half]),
                          m.number(factor * llvm::numbers::ln2), m.log(sum));
      Value stored = vector::FromElementsOp::create(
          emitter.getBuilder(), emitter.getLoc(),
          VectorType::get(1, emitter.getBuilder().getF32Type()),
          m.select(seesAny, known, minusInfinity));
      // Each of these threads stores its own, unlike a memref.store.
      vector::StoreOp::create(emitter.getBuilder(), emitter.getLoc(), stored,
                              lse,
                              ValueRange{emitter.materialize(rowOf(
                                  {head.batch, head.head, row, Value()}))});
    }
  });
  return m.div(m.number(1.0), m.select(seesAny, sum, m.number(1.0)));
}

/// A row that sees nothing gives zeros.
void ForwardKernel::finish(const Block &block, const Place &head) {
  std::array<Value, 2> inverse;
  for (unsigned half = 0; half < 2; ++half) {
    inverse[half] = finishRow(block, half, head);
  }
  if (!result) {
    return;
  }
  AllSums sums = get(block.sums);
  for (Sums &each : sums) {
    for (unsigned i = 0; i < 4; ++i) {
      each[i] = m.mul(each[i], inverse[i / 2]);
    }
  }
  MatrixRows(emitter, result, head.batch, head.head, sizes.queryRows)
      .store(sums, block.first);
}

} // namespace

void accel::emitMatrixAttention(KernelEmitter &emitter, AttentionOp op) {
  ForwardKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
