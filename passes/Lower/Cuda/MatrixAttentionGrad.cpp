// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of attention, a warp for 16 queries or 16 keys. What
// WarpAttentionGrad computes for a place, it computes for 16 rows and a step of
// columns: keys for queries; queries for keys, whose scores are so transposed.
#include "passes/Lower/Cuda/MatrixAttention.h"

using namespace mlir;
using namespace accel;

namespace {

class GradientKernel : public MatrixAttention {
public:
  GradientKernel(KernelEmitter &emitter, AttentionGradOp op)
      : MatrixAttention(emitter, op), result(getOperand(op.getResult())),
        gradient(getOperand(op.getResultGradient())), lse(op.getLse()),
        queryGradient(getResult(0)), keyGradient(getResult(1)),
        valueGradient(getResult(2)) {}

  void emit();

private:
  /// Rows of a head, or of a key head.
  struct Rows {
    MatrixRows query, key, value, result, gradient;
    MatrixRows queryPart; ///< of whose columns keys' gradients are made
  };
  /// What the four sums of a thread have in common with others of their query.
  struct OfQueries {
    std::array<Value, 4> delta, shift;
  };
  struct Factors {
    Sums probability; ///< with what is dropped
    Sums score;       ///< the gradient of the score, not yet scaled
  };

  struct Columns {
    int64_t first, count;
  };
  /// Columns of every row.
  static HeadTensor partOf(HeadTensor tensor, const Columns &columns) {
    tensor.view.offset += columns.first;
    tensor.columns = columns.count;
    return tensor;
  }
  MatrixRows rowsOf(const HeadTensor &tensor, const Place &place, Value head) {
    return {emitter, tensor, place.batch, head, kStep};
  }
  Rows getRows(const Place &head, Value keyHead, const Columns &part);
  void emitQueryTile(Value tile);
  /// A tile of queries while keys pass by.
  struct QueryTile {
    Place place;
    MatrixRows::Lefts queries, gradients;
    OfQueries known;
  };
  /// `words`: of the keys and values, or none where they are not loaded early.
  void emitQueryStep(const Rows &of, const QueryTile &tile, Value firstKey,
                     ArrayRef<Value> words, bool looks);
  /// What a tile of keys makes: some columns of the keys' gradients, or none,
  /// and those of values.
  struct Made {
    Columns key;
    bool value;
  };
  SmallVector<Made> getKinds() const;
  /// Of all kept sums those of the keys' columns that are made.
  KeptSums keySumsOf(const Made &made) const {
    return KeptSums(
        ArrayRef(keySums).take_front(made.key.count / MatrixOps::kColumns));
  }
  void emitKeyTiles(Value tile);
  void emitKeyTile(Value tile, Made made);
  void emitKeyHead(const Rows &of, const Place &tile, Made made);
  void emitKeyStep(const Rows &of, const Place &tile, Made made,
                   Value firstQuery, bool looks);
  /// delta and lse where sums have queries as rows; as columns.
  OfQueries readRows(const Rows &of, const Place &tile,
                     const MatrixRows::Lefts &gradients);
  OfQueries readColumns(const Rows &of, const Place &tile,
                        const MatrixRows::Rights &gradients);
  Value readLse(const Place &head, Value query);
  Factors compute(const Sums &products, const Sums &gradients,
                  const OfQueries &known,
                  llvm::function_ref<Place(unsigned)> placeOf, bool looks);
  void storeScaled(const KeptSums &kept, const HeadTensor &tensor,
                   const Place &head, Value first, double by);

  HeadTensor result, gradient;
  Value lse;
  HeadTensor queryGradient, keyGradient, valueGradient;
  KeptSums querySums, keySums, valueSums;
  MatrixRows::Lefts keyLeft, valueLeft; ///< of the tile of keys
};

void GradientKernel::emit() {
  querySums = makeSums(sizes.depth / MatrixOps::kColumns);
  keySums = makeSums(getKinds().front().key.count / MatrixOps::kColumns);
  valueSums = makeSums(sizes.width / MatrixOps::kColumns);
  emitter.forEach(emitter.getBegin(), emitter.getEnd(), 1, [&](Value tile) {
    Value isQuery = indices.isBelow(tile, indices.index(sizes.queryTiles()));
    emitter.onlyIf(isQuery, [&] { emitQueryTile(tile); });
    emitter.onlyIf(indices.isNot(isQuery), [&] {
      emitKeyTiles(indices.sub(tile, indices.index(sizes.queryTiles())));
    });
  });
}

/// The first has no fewer columns than the others.
SmallVector<GradientKernel::Made> GradientKernel::getKinds() const {
  if (!sizes.splitsKeys) {
    return {
        {{0, keyGradient ? sizes.depth : 0}, static_cast<bool>(valueGradient)}};
  }
  int64_t half = llvm::alignTo(sizes.depth / 2, MatrixOps::kDepth);
  return {
      {{0, half}, false}, {{half, sizes.depth - half}, false}, {{0, 0}, true}};
}

void GradientKernel::emitKeyTiles(Value tile) {
  Value count = indices.index(sizes.keyTiles());
  SmallVector<Made> kinds = getKinds();
  for (const auto &[i, made] : llvm::enumerate(kinds)) {
    if (made.value ? !valueGradient : !keyGradient || made.key.count == 0) {
      continue;
    }
    Value first = indices.mul(count, static_cast<int64_t>(i));
    Value isOfKind =
        indices.both(indices.isNot(indices.isBelow(tile, first)),
                     indices.isBelow(tile, indices.add(first, count)));
    emitter.onlyIf(isOfKind,
                   [&] { emitKeyTile(indices.sub(tile, first), made); });
  }
}

GradientKernel::Rows GradientKernel::getRows(const Place &head, Value keyHead,
                                             const Columns &part) {
  return {rowsOf(query, head, head.head),
          rowsOf(key, head, keyHead),
          rowsOf(value, head, keyHead),
          rowsOf(result, head, head.head),
          rowsOf(gradient, head, head.head),
          rowsOf(partOf(query, part), head, head.head)};
}

Value GradientKernel::readLse(const Place &head, Value query) {
  Value last = indices.index(sizes.rows - 1);
  Value row = sizes.rows % kStep == 0 ? query : indices.min(query, last);
  return emitter.scalarAt(lse, rowOf({head.batch, head.head, row, Value()}));
}

/// 0 where a place is not seen: its power is.
GradientKernel::Factors GradientKernel::compute(
    const Sums &products, const Sums &gradients, const OfQueries &known,
    llvm::function_ref<Place(unsigned)> placeOf, bool looks) {
  Factors factors;
  for (unsigned i = 0; i < 4; ++i) {
    Place place = placeOf(i);
    Value p = power(logit(products[i], place, looks), known.shift[i]);
    Value kept = keptFactor(place);
    Value difference = m.sub(times(gradients[i], kept), known.delta[i]);
    factors.probability[i] = times(p, kept);
    factors.score[i] = m.mul(p, difference);
  }
  return factors;
}

void GradientKernel::storeScaled(const KeptSums &kept, const HeadTensor &tensor,
                                 const Place &head, Value first, double by) {
  AllSums sums = get(kept);
  for (Sums &each : sums) {
    for (Value &value : each) {
      value = m.mul(value, m.number(by));
    }
  }
  rowsOf(tensor, head, head.head).store(sums, first);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The diagonals of gradients times results: row g's is in column g, which the
/// thread g / 2 of its group has.
GradientKernel::OfQueries
GradientKernel::readRows(const Rows &of, const Place &tile,
                         const MatrixRows::Lefts &gradients) {
  OfQueries known;
  Value group = ops.group();
  Value owner = indices.add(indices.mul(group, 4), indices.div(group, 2));
  Value isEven = indices.isEqual(indices.rem(group, 2), indices.index(0));
  for (unsigned half = 0; half < 2; ++half) {
    Value first = indices.add(tile.query, half * MatrixOps::kColumns);
    Sums sums =
        multiply(gradients, MatrixRows::asRights(of.result.loadAlong(first)),
                 zeroSums());
    Value own = m.select(isEven, sums[2 * half], sums[2 * half + 1]);
    Value delta = ops.readFrom(own, owner);
    Value shift = shiftOf(readLse(tile, rowAt(tile.query, 2 * half)));
    for (unsigned i = 2 * half; i < 2 * half + 2; ++i) {
      known.delta[i] = delta;
      known.shift[i] = shift;
    }
  }
  return known;
}

void GradientKernel::emitQueryTile(Value number) {
  if (!queryGradient) {
    return;
  }
  QueryTile tile;
  tile.place = placeOfQueries(number);
  const Place &place = tile.place;
  Rows of =
      getRows(place, indices.div(place.head, sizes.group()), {0, sizes.depth});
  tile.queries = of.query.readLeft(place.query);
  tile.gradients = of.gradient.readLeft(place.query);
  tile.known = readRows(of, place, tile.gradients);
  clear(querySums);
  auto load = [&](Value first) {
    Words words;
    if (sizes.splitsKeys) {
      return words; // Operands and sums leave no registers for these.
    }
    for (int64_t n = 0; n < kProducts; ++n) {
      Value row = indices.add(first, n * MatrixOps::kColumns);
      llvm::append_range(words, of.key.loadAlong(row));
      llvm::append_range(words, of.value.loadAlong(row));
    }
    return words;
  };
  forEachStep(indices.index(0), keysOf(place.query), sizes.columns, load,
              [&](Value first, ArrayRef<Value> words, bool looks) {
                emitQueryStep(of, tile, first, words, looks);
              });
  storeScaled(querySums, queryGradient, place, place.query, scale);
}

/// The rows of `key` that are summed across have been loaded along just before:
/// the nearest cache has them.
void GradientKernel::emitQueryStep(const Rows &of, const QueryTile &tile,
                                   Value firstKey, ArrayRef<Value> words,
                                   bool looks) {
  AllSums scores;
  for (int64_t n = 0; n < kProducts; ++n) {
    Value first = indices.add(firstKey, n * MatrixOps::kColumns);
    auto take = [&](const MatrixRows &from) {
      if (words.empty()) {
        return MatrixRows::asRights(from.loadAlong(first));
      }
      MatrixRows::Rights all =
          MatrixRows::asRights(words.take_front(from.wordsAlong()));
      words = words.drop_front(from.wordsAlong());
      return all;
    };
    Sums products = multiply(tile.queries, take(of.key), zeroSums());
    Sums differences = multiply(tile.gradients, take(of.value), zeroSums());
    auto placeOf = [&](unsigned i) -> Place {
      return {tile.place.batch, tile.place.head, rowAt(tile.place.query, i),
              columnAt(first, i)};
    };
    scores.push_back(
        compute(products, differences, tile.known, placeOf, looks).score);
  }
  accumulate(querySums, asLeft(scores[0], scores[1]),
             of.key.asColumns(of.key.loadAcross(firstKey)));
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Of eight queries. The diagonal's element j is in group j, of whose threads
/// j / 2 has it.
GradientKernel::OfQueries
GradientKernel::readColumns(const Rows &of, const Place &tile,
                            const MatrixRows::Rights &gradients) {
  MatrixRows::Lefts results;
  for (const MatrixOps::Right &words :
       MatrixRows::asRights(of.result.loadAlong(tile.query))) {
    results.push_back({words[0], words[0], words[1], words[1]});
  }
  Sums sums = multiply(results, gradients, zeroSums());
  Value owner = indices.mul(ops.member(), 9);
  OfQueries known;
  for (unsigned i = 0; i < 2; ++i) {
    Value delta = ops.readFrom(sums[i], indices.add(owner, 4 * i));
    Value shift = shiftOf(readLse(tile, columnAt(tile.query, i)));
    for (unsigned row : {i, i + 2}) {
      known.delta[row] = delta;
      known.shift[row] = shift;
    }
  }
  return known;
}

void GradientKernel::emitKeyTile(Value tile, Made made) {
  Place keys = placeOfKeys(tile);
  clear(keySums);
  clear(valueSums);
  keyLeft = rowsOf(key, keys, keys.head).readLeft(keys.key);
  valueLeft = rowsOf(value, keys, keys.head).readLeft(keys.key);
  emitter.forEach(
      indices.index(0), indices.index(sizes.group()), 1, [&](Value member) {
        Value head = indices.add(indices.mul(keys.head, sizes.group()), member);
        Place place{keys.batch, head, Value(), keys.key};
        emitKeyHead(getRows(place, keys.head, made.key), place, made);
      });
  if (made.key.count != 0) {
    storeScaled(keySumsOf(made), partOf(keyGradient, made.key), keys, keys.key,
                scale);
  }
  if (made.value) {
    storeScaled(valueSums, valueGradient, keys, keys.key, 1.0);
  }
}

/// Queries that see some of the keys, then those that see all, then what is no
/// whole step.
void GradientKernel::emitKeyHead(const Rows &of, const Place &tile, Made made) {
  Value end = indices.index(sizes.rows);
  Value lastStep = indices.index(sizes.rows / kStep * kStep);
  Value begin = indices.index(0);
  SmallVector<Range> ranges;
  if (sizes.causal) {
    Value first = firstQuery(tile.key);
    begin = floorStep(first);
    Value all = firstQuery(indices.add(tile.key, sizes.keyRows - 1));
    Value whole = floorStep(indices.add(all, kStep - 1));
    ranges.push_back({indices.min(whole, end), true});
  }
  ranges.push_back({lastStep, false});
  if (sizes.rows % kStep != 0) {
    ranges.push_back({end, true});
  }
  // Both sums and both factors leave no registers for what comes next.
  forEachStep(
      begin, ranges, sizes.rows, [](Value) { return Words(); },
      [&](Value first, ArrayRef<Value>, bool looks) {
        emitKeyStep(of, tile, made, first, looks);
      });
}

void GradientKernel::emitKeyStep(const Rows &of, const Place &tile, Made made,
                                 Value firstQuery, bool looks) {
  AllSums scores, probabilities;
  for (int64_t n = 0; n < kProducts; ++n) {
    Place first = tile;
    first.query = indices.add(firstQuery, n * MatrixOps::kColumns);
    MatrixRows::Rights queries =
        MatrixRows::asRights(of.query.loadAlong(first.query));
    MatrixRows::Rights gradients =
        MatrixRows::asRights(of.gradient.loadAlong(first.query));
    Sums products = multiply(keyLeft, queries, zeroSums());
    Sums differences = multiply(valueLeft, gradients, zeroSums());
    OfQueries known = readColumns(of, first, gradients);
    auto placeOf = [&](unsigned i) -> Place {
      return {tile.batch, tile.head, columnAt(first.query, i),
              rowAt(tile.key, i)};
    };
    Factors factors = compute(products, differences, known, placeOf, looks);
    scores.push_back(factors.score);
    probabilities.push_back(factors.probability);
  }
  if (made.value) {
    accumulate(valueSums, asLeft(probabilities[0], probabilities[1]),
               of.gradient.asColumns(of.gradient.loadAcross(firstQuery)));
  }
  if (made.key.count != 0) {
    accumulate(keySumsOf(made), asLeft(scores[0], scores[1]),
               of.queryPart.asColumns(of.queryPart.loadAcross(firstQuery)));
  }
}

} // namespace

void accel::emitMatrixAttentionGrad(KernelEmitter &emitter,
                                    AttentionGradOp op) {
  GradientKernel kernel(emitter, op);
  if (!emitter.hasFailed()) {
    kernel.emit();
  }
}
