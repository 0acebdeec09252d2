// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-data pack: documents to a stream of tokens.
#ifndef ACCEL_TOOLS_ACCEL_DATA_PACK_H_
#define ACCEL_TOOLS_ACCEL_DATA_PACK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"
#include "runtime/report/console.h"
#include "tools/accel-data/tokenizer.h"

namespace accel::tools {

struct PackOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string tokenizer = "bytes";
  // All inputs are JSON Lines, and this is the field of the text. Otherwise
  // those are whose names say so, with the field "text".
  std::optional<std::string> field;
  // A number, "none", or empty: what the tokenizer says.
  std::string end_of_document;
  int threads = 1;  // that encode, if the tokenizer is worth it
  bool quiet = false;
};

struct PackEnvironment {
  runtime::Vfs& vfs;
  runtime::Console& console;  // for progress
  // The signal that asks to stop; 0: none.
  std::function<int()> stop_requested = [] { return 0; };
};

struct PackResult {
  std::string tokenizer;
  uint64_t tokens = 0;
  uint64_t documents = 0;
  uint64_t empty_documents = 0;  // left out
  uint64_t input_bytes = 0;
  int width = 2;  // bytes of a token
  int64_t vocabulary = 0;
  std::optional<uint32_t> end_of_document;

  // Lines for people.
  std::string Describe(const std::string& output) const;
};

// The output appears complete or not at all. Cancelled: a stop was requested.
// Inputs without any text are an error.
absl::StatusOr<PackResult> Pack(const PackOptions& options,
                                const PackEnvironment& environment);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_PACK_H_
