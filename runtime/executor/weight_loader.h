// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes `load` instructions: brings initial weights from the plan or from
// files beside it into memory, transposed and cut to a rank's shard on the way.
#ifndef ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
#define ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/executor/external_files.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/size_expr.h"

namespace accel::runtime {

// Borrows: the plan and the files.
//
// Threads: everything may be called from any thread.
class WeightLoader {
 public:
  WeightLoader(const Plan& plan, const ExternalFiles& files)
      : plan_(plan), files_(files) {}

  // Fills `dst`, which is the destination of `load` on the rank of `binding`:
  // all elements, or those that the rank owns. Elements that no piece names
  // keep their values.
  absl::Status Run(const planpb::Load& load, const RankBinding& binding,
                   absl::Span<std::byte> dst) const;

 private:
  // Elements [first, first + count) of the piece, in the destination's order.
  absl::Status ReadPiece(const planpb::LoadPiece& piece, uint64_t width,
                         uint64_t first, absl::Span<std::byte> dst) const;
  absl::Status ReadSource(const planpb::LoadPiece& piece, uint64_t offset,
                          absl::Span<std::byte> dst) const;

  const Plan& plan_;
  const ExternalFiles& files_;
};

// Copies a [columns, rows] matrix, of which dst takes elements [first, ...) of
// its transpose, row by row of [rows, columns].
// Requires: src.size() == rows * columns * width.
void CopyTransposed(absl::Span<const std::byte> src, uint64_t rows,
                    uint64_t columns, uint64_t width, uint64_t first,
                    absl::Span<std::byte> dst);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
