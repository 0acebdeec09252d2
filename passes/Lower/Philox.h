// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 as arithmetic of a kernel.
#ifndef ACCEL_PASSES_LOWER_PHILOX_H
#define ACCEL_PASSES_LOWER_PHILOX_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <array>
#include <cstdint>
#include <optional>

namespace accel {

inline constexpr unsigned kPhiloxRounds = 10;

/// The two key words of every round.
using PhiloxKeys = std::array<std::array<mlir::Value, 2>, kPhiloxRounds>;

/// The keys of a site. Requires: `seed` is an i64, `site` an i32.
PhiloxKeys emitPhiloxKeys(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value seed, mlir::Value site);

/// The four words (i32) of the block with counter words `counter`.
std::array<mlir::Value, 4> emitPhiloxBlock(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           const PhiloxKeys &keys,
                                           std::array<mlir::Value, 4> counter);

/// The same for an i64 or lanes of it, so that a product is one instruction:
/// words are the low halves, and the high halves of operands mean nothing.
/// Requires: the halves of `seed` are joined by exclusive or. Returns i32 or
/// lanes of it.
std::array<mlir::Value, 4> emitPhiloxLanes(mlir::OpBuilder &builder,
                                           mlir::Location loc, mlir::Value seed,
                                           mlir::Value site,
                                           std::array<mlir::Value, 4> counter);

/// Words below it are dropped with `probability`; none: all are.
std::optional<uint32_t> getLeastKeptWord(double probability);

} // namespace accel

#endif
