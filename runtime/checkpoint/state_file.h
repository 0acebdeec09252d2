// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file of a checkpoint: what one process has written of the state. It is a
// safetensors file of flat tensors "NAME@[begin:end)", elements of the state
// tensor NAME; the hashes of its data, taken before they were written, are in
// its metadata.
#ifndef ACCEL_RUNTIME_CHECKPOINT_STATE_FILE_H_
#define ACCEL_RUNTIME_CHECKPOINT_STATE_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/checkpoint/chunk_hashes.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/executor/executor.h"
#include "runtime/io/safetensors.h"
#include "runtime/plan/state/state_tensors.h"

namespace accel::runtime {

// Which of the processes of a run this is.
struct ProcessPlace {
  uint64_t index = 0;
  uint64_t count = 1;
};

// A range of elements of a state tensor.
struct StatePart {
  const StateTensor* tensor = nullptr;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// What the process writes: of what is sharded over ranks its own, if it is the
// first to have it; of what all have an equal share. Borrows: the tensors.
absl::StatusOr<std::vector<StatePart>> PartsToWrite(
    const std::vector<StateTensor>& tensors, const Executor& executor,
    const ProcessPlace& place);

// Reads elements of a part: of its tensor, from `first` on.
using StateReader = std::function<absl::Status(
    const StatePart& part, uint64_t first, absl::Span<std::byte> dst)>;
// Of the state as it is. Borrows: the executor.
StateReader ReaderOf(const Executor& executor);

// Writes parts to `folder`. `progress` is called after each piece of 4 MiB.
absl::StatusOr<CheckpointFile> WriteStateFile(
    Vfs& vfs, const std::string& folder, const std::vector<StatePart>& parts,
    const StateReader& read, const ProcessPlace& place,
    const std::function<void()>& progress);

// Reads such a file; every byte that it gives has been compared with its hash.
//
// Threads: one at a time.
class StateFile {
 public:
  // Compares size and header with what the manifest says. DataLoss, naming the
  // file, if they are others.
  static absl::StatusOr<std::unique_ptr<StateFile>> Open(
      Vfs& vfs, const std::string& folder, const CheckpointFile& expected);

  const std::vector<SafetensorsEntry>& entries() const {
    return reader_->entries();
  }
  const std::string& path() const { return reader_->path(); }
  // Bytes [offset, offset + dst.size()) of a tensor. DataLoss, naming file and
  // tensor, if what is there is not what was written.
  absl::Status Read(const SafetensorsEntry& entry, uint64_t offset,
                    absl::Span<std::byte> dst);
  // Pieces of 4 MiB, each with a hash of its own.
  uint64_t chunks() const { return CountChunks(reader_->data_bytes()); }
  absl::Status VerifyChunk(uint64_t number) { return Load(number); }
  // All of it.
  absl::Status Verify(const std::function<void()>& progress);

 private:
  StateFile(std::unique_ptr<SafetensorsReader> reader, std::string hashes)
      : reader_(std::move(reader)), hashes_(std::move(hashes)) {}

  // Leaves the chunk in `chunk_`.
  absl::Status Load(uint64_t number);
  // The tensors in bytes [begin, end), for people.
  std::string TensorsIn(uint64_t begin, uint64_t end) const;

  std::unique_ptr<SafetensorsReader> reader_;
  std::string hashes_;  // ChunkHashes::Finish
  std::vector<std::byte> chunk_;
  uint64_t loaded_ = ~uint64_t{0};  // its number
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_STATE_FILE_H_
