// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SentencePiece models as tokenizers, by libsentencepiece.
#ifndef ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_H_
#define ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/accel-data/tokenizer.h"

namespace accel::tools {

// `model` is the content of the file `path`. Documents end with the model's
// end-of-sentence token, if it has one.
absl::StatusOr<std::unique_ptr<Tokenizer>> OpenSentencePiece(
    const std::string& path, absl::string_view model);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_H_
