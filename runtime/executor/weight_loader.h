// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what `load` instructions bring in: initial weights, from the plan or
// from files that it refers to, transposed and cut to a rank's shard on the
// way.
#ifndef ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
#define ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/executor/external_files.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// A tensor's chunks of the plan or file are read and hashed by several threads,
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

  // Calls task(i) for all i of [0, count), perhaps on several threads, and
  // returns when all have returned.
  using ParallelFor = absl::FunctionRef<void(
      int64_t count, absl::FunctionRef<void(int64_t)> task)>;
  // Writes all of `dst`.
  using Read = absl::FunctionRef<absl::Status(absl::Span<std::byte> dst)>;
  // Gets bytes [begin, begin + size) of the destination by one call of `read`.
  using Store =
      absl::FunctionRef<absl::Status(uint64_t begin, uint64_t size, Read read)>;

  // Calls `store` for each piece of the destination of `load` on the rank of
  // `binding`, which has room for `size` bytes: all elements, or those that the
  // rank owns. Elements that no piece names are not stored.
  absl::Status Run(const planpb::Load& load, const RankBinding& binding,
                   uint64_t size, ParallelFor parallel, Store store) const;

  // Gives back what was kept for the next tensor.
  void Forget();

 private:
  // What is hashed chunk by chunk: a section of the plan, or a file.
  struct Source {
    bool is_file;
    uint32_t index;
    bool operator==(const Source& other) const {
      return is_file == other.is_file && index == other.index;
    }
  };
  // A chunk that was hashed after it was read.
  struct Chunk {
    Source source;
    uint64_t number;
    std::vector<std::byte> bytes;
  };
  // Of a destination, what lies in one chunk, from its byte `skip` on.
  struct Part {
    uint64_t chunk;
    uint64_t skip;
    absl::Span<std::byte> dst;
  };

  static Source SourceOf(const planpb::LoadPiece& piece);
  // Elements [first, first + count) of the piece, in the destination's order.
  absl::Status ReadPiece(const planpb::LoadPiece& piece, uint64_t width,
                         uint64_t first, ParallelFor parallel,
                         absl::Span<std::byte> dst) const;
  absl::Status ReadTransposed(const planpb::LoadPiece& piece, uint64_t width,
                              uint64_t first, ParallelFor parallel,
                              absl::Span<std::byte> dst) const;
  // Bytes [begin, begin + dst.size()) of the source.
  absl::Status ReadBytes(Source source, uint64_t begin, ParallelFor parallel,
                         absl::Span<std::byte> dst) const;
  absl::Status ReadPart(Source source, const Part& part, const Chunk* kept,
                        bool keep) const;
  absl::Status ReadChunk(Source source, uint64_t chunk,
                         absl::Span<std::byte> dst) const;

  const Plan& plan_;
  const ExternalFiles& files_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Chunk> kept_;  // guarded by mutex_
};

// Part of a [columns, rows] matrix, row by row: its rows from `first_column`
// on, which are columns of the transpose.
struct SourceBand {
  absl::Span<const std::byte> bytes;
  uint64_t first_column;
};

// The shape of a transpose, and the bytes of an element.
struct TransposedShape {
  uint64_t rows;
  uint64_t columns;
  uint64_t width;
};

// Of the transpose's rows [row_begin, row_end), writes the elements that the
// band has and that lie in dst, which is elements [first, ...) of the
// transpose.
void CopyTransposed(SourceBand band, TransposedShape shape, uint64_t row_begin,
                    uint64_t row_end, uint64_t first,
                    absl::Span<std::byte> dst);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_WEIGHT_LOADER_H_
