// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which probabilities of an attention are dropped.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONDROPOUT_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONDROPOUT_H

#include "passes/Lower/Cpu/TileCode.h"
#include "passes/Lower/Loops/KernelEmitter.h"

#include <array>

namespace accel {

/// Words of Philox for the scores of a tile. Words of one counter belong to
/// columns 16 apart.
class AttentionDropout {
public:
  using Value = mlir::Value;
  using Words = std::array<Value, 4>;

  /// What the operation says about its dropout.
  struct Operands {
    Value samples, seed;
    int64_t site;
    Value siteOffset;
    double probability;
  };
  /// i64 lanes.
  struct Key {
    Value seed, site, sampleLow, sampleHigh;
  };

  AttentionDropout(KernelEmitter &emitter, mlir::Operation *op,
                   const AttentionTiles &tiles, const Operands &operands);

  Key getKey(Value batch) const;
  /// The words of the scores of 16 rows from `row` on, columns c, 16 + c,
  /// 32 + c and 48 + c of block `block`.
  Words wordsAlongRows(const Key &key, Value head, Value row, Value block,
                       Value c) const;
  /// The words of the scores of a row, 16 columns each.
  Words wordsAlongColumns(const Key &key, Value head, Value row,
                          Value block) const;
  /// Which lanes are dropped.
  Value isDropped(Value word) const;
  /// What is kept is multiplied by it.
  double keepFactor() const { return 1.0 / (1.0 - probability); }

private:
  Value wide(Value index) const;
  Words words(const Key &key, Value counters) const;

  TileCode t;
  AttentionTiles tiles;
  double probability;
  Value samples, seedLanes, siteLanes;
  int64_t samplesOffset = 0;
};

} // namespace accel

#endif
