// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The probabilities of a tile of attention, computed again from its scores, and
// the gradients of those scores.
#ifndef ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADSCORES_H
#define ACCEL_PASSES_LOWER_CPU_ATTENTIONGRADSCORES_H

#include "passes/Lower/Cpu/AttentionGradTile.h"

namespace accel {

/// What a tile has for each of its scores, and every row of the group's heads
/// its delta for, the sum of result times flow. Borrows: the attention's code.
class AttentionGradScores {
public:
  using Value = mlir::Value;

  /// All in the workspace. `probabilities` holds the scores at first.
  AttentionGradScores(const AttentionCode &code, const TileRows &probabilities,
                      const TileRows &gradients, const TileRows &delta)
      : code(code), t(code.t), m(code.m), tiles(code.tiles),
        probabilities(probabilities), gradients(gradients), delta(delta) {}

  /// Writes the delta of a head's rows. `result`: the head's.
  void emitDelta(const GradHead &head, const TileRows &result) const;

  /// Scores become probabilities; the sign of a dropped one is negative until
  /// its gradient is known.
  void emitProbabilities(const GradTile &tile) const;

  /// Writes the gradients of sixteen scores. `flow`: the gradients of their
  /// probabilities.
  void emitGradient(const GradTile &tile, Value row, Value lane,
                    Value flow) const;

private:
  Value emitExponent(const GradTile &tile, Value row, int64_t lane,
                     Value logarithm) const;
  Value keepSeen(const GradTile &tile, Value row, Value lane,
                 Value lanes) const;
  /// Adds to the gradients of sixteen numbers of the bias.
  void addToBias(const GradTile &tile, Value row, Value lane,
                 Value gradient) const;
  void emitProbabilityRow(const GradTile &tile, Value row) const;
  Value emitProbability(const GradTile &tile, Value row, int64_t lane,
                        Value logarithm) const;
  Value placeOfDelta(const GradHead &head, Value row) const {
    return t.add(t.mul(head.inGroup, tiles.rows), row);
  }

  const AttentionCode &code;
  const TileCode &t;
  const Arithmetic &m;
  const AttentionTiles &tiles;
  TileRows probabilities, gradients, delta;
};

} // namespace accel

#endif
