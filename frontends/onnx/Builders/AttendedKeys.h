// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys a query attends to: causality, windows and the lengths of caches
// of ONNX's Attention, as one mask.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_ATTENDEDKEYS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_ATTENDEDKEYS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// What the node says. Query i stands at position i + offset, where offset is
/// `past`, or with `lengths` that of its sample less the number of queries.
struct AttendedKeys {
  int64_t queries = 0, keys = 0;
  int64_t past = 0;
  mlir::Value lengths;           ///< (batch) of i64; null: all keys are there
  bool isCausal = false;         ///< keys behind the position are left out
  int64_t left = -1, right = -1; ///< keys on each side; -1: all

  /// Whether `accel.attention` says the same by itself: nothing is left out, or
  /// what lies behind the last query's position.
  bool isPlain() const;

  /// A boolean tensor (1 or batch, 1, queries, keys). Requires: not isPlain().
  mlir::Value makeMask(const NodeConversion &conversion) const;
};

/// Both masks at once: `given` is null, boolean, or what is added to scores, of
/// four dimensions each of which is 1 or that of `allowed`.
mlir::Value combineMasks(const NodeConversion &conversion, mlir::Value given,
                         mlir::Value allowed);

} // namespace accel::onnx

#endif
