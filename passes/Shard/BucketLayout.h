// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of parameters in flat segments as a problem of its own: what has
// to be placed, where it goes, and a check of the answer that does not trust
// the solver.
#ifndef ACCEL_PASSES_SHARD_BUCKETLAYOUT_H
#define ACCEL_PASSES_SHARD_BUCKETLAYOUT_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Shard/SegmentAlignment.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace accel {

/// What an optimizer does differently with some parameters.
struct UpdateRates {
  double factor = 1.0; ///< of the learning rate
  /// Weight decay of their own; none: the hyperparameter's, or they are not
  /// decayed.
  std::optional<double> decay = std::nullopt;

  bool operator==(const UpdateRates &other) const {
    return factor == other.factor && decay == other.decay;
  }
  bool operator!=(const UpdateRates &other) const { return !(*this == other); }

  static UpdateRates get(ParameterOp parameter) {
    return {parameter.getRateFactor(), parameter.getOwnDecay()};
  }
};

struct BucketProblem {
  struct Parameter {
    std::string name;
    mlir::RankedTensorType type;
    OptimizerGroup group;
    unsigned bucket;
    /// What microbatches read it as; null: as it is stored.
    mlir::Type compute = nullptr;
    UpdateRates rates = {};
  };

  struct Bucket {
    std::string name;
    std::optional<int64_t> layer; ///< of a repeated block: its number
  };

  llvm::SmallVector<Bucket> buckets;
  /// Of segments: a multiple of `kSegmentGranule`.
  int64_t granule = kSegmentGranule;
  /// In the order in which they shall lie.
  llvm::SmallVector<Parameter> parameters;

  /// Describes the first thing that is wrong with the problem itself; empty if
  /// nothing is.
  std::string check() const;
};

struct BucketLayout {
  struct Segment {
    unsigned bucket;
    std::string name;
    OptimizerGroup group;
    mlir::Type elementType;
    mlir::Type compute; ///< null: microbatches read what is stored
    UpdateRates rates;
    int64_t elements = 0;
    llvm::SmallVector<unsigned> parameters;
  };
  struct Place {
    unsigned segment;
    int64_t offset;
  };

  llvm::SmallVector<Segment> segments; ///< in the order of their buckets
  llvm::SmallVector<Place> places;     ///< one per parameter
};

/// Places parameters one behind the other. Requires: `problem.check()` is
/// empty.
BucketLayout solve(const BucketProblem &problem);

/// Describes the first constraint of `problem` that `layout` violates; empty if
/// none.
std::string verify(const BucketProblem &problem, const BucketLayout &layout);

} // namespace accel

#endif
