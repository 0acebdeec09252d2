// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes `load` instructions: brings initial weights from the plan or from
// files beside it into memory, transposed and cut to a rank's shard on the way.
#ifndef ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
#define ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/device/thread_team.h"
#include "runtime/executor/external_files.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/size_expr.h"

namespace accel::runtime {

// A tensor's chunks of the plan are read and hashed by all threads of a team,
// straight into place where a chunk lies in it whole. The chunk that the last
// tensor shares with its successor is kept, so that tensors in the order of
// the file hash each chunk once.
//
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
  // Requires: the calling thread has adopted the team.
  absl::Status Run(const planpb::Load& load, const RankBinding& binding,
                   const ThreadTeam& team, absl::Span<std::byte> dst) const;

  // Gives back what was kept for the next tensor.
  void Forget();

 private:
  // A chunk that was hashed after it was read.
  struct Chunk {
    uint32_t section;
    uint64_t number;
    std::vector<std::byte> bytes;
  };
  // Of a destination, what lies in one chunk, from its byte `skip` on.
  struct Part {
    uint64_t chunk;
    uint64_t skip;
    absl::Span<std::byte> dst;
  };

  // Elements [first, first + count) of the piece, in the destination's order.
  absl::Status ReadPiece(const planpb::LoadPiece& piece, uint64_t width,
                         uint64_t first, const ThreadTeam& team,
                         absl::Span<std::byte> dst) const;
  absl::Status ReadSource(const planpb::LoadPiece& piece, uint64_t offset,
                          const ThreadTeam& team,
                          absl::Span<std::byte> dst) const;
  absl::Status ReadSection(uint32_t section, uint64_t begin,
                           const ThreadTeam& team,
                           absl::Span<std::byte> dst) const;
  absl::Status ReadPart(uint32_t section, const Part& part, const Chunk* kept,
                        bool keep) const;

  const Plan& plan_;
  const ExternalFiles& files_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Chunk> kept_;  // guarded by mutex_
};

// Copies a [columns, rows] matrix, of which dst takes elements [first, ...) of
// its transpose, row by row of [rows, columns].
// Requires: src.size() == rows * columns * width.
void CopyTransposed(absl::Span<const std::byte> src, uint64_t rows,
                    uint64_t columns, uint64_t width, uint64_t first,
                    absl::Span<std::byte> dst);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
