// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of documents, encoded on all cores, in the order in which they came.
#ifndef ACCEL_TOOLS_ACCEL_DATA_PART_ENCODER_H_
#define ACCEL_TOOLS_ACCEL_DATA_PART_ENCODER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/worker_threads.h"
#include "tools/accel-data/tokenizer.h"

namespace accel::tools {

struct DocumentPart {
  std::string text;
  std::string path;  // where it comes from
  int64_t line = 1;
  bool ends_document = false;
};

// Borrows: the tokenizer.
class PartEncoder {
 public:
  // Gets each part's tokens. An error ends it all.
  using Take = std::function<absl::Status(const DocumentPart& part,
                                          absl::Span<const uint32_t> ids)>;

  // `threads` of them, if the tokenizer is worth it.
  static absl::StatusOr<std::unique_ptr<PartEncoder>> Create(
      const Tokenizer& tokenizer, int threads, Take take);

  // Encodes now or later, a few megabytes at once.
  absl::Status Add(DocumentPart part);
  absl::Status Finish() { return EncodeAll(); }

 private:
  PartEncoder(const Tokenizer& tokenizer, Take take);

  absl::Status EncodeAll();
  // The next parts that nobody has begun, until there are none.
  void EncodeSome();

  const Tokenizer& tokenizer_;
  Take take_;
  std::vector<DocumentPart> parts_;
  size_t bytes_ = 0;  // of the parts
  // Of each part.
  std::vector<std::vector<uint32_t>> ids_;
  std::vector<absl::Status> results_;
  std::atomic<size_t> next_{0};
  std::unique_ptr<runtime::WorkerThreads> workers_;  // null: this thread
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_PART_ENCODER_H_
