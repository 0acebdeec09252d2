// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field fed from a token stream: row i of length T is tokens [i T, i T + T),
// or, for labels, their successors.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_SOURCE_H_
#define ACCEL_RUNTIME_DATA_TOKEN_SOURCE_H_

#include <memory>

#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"
#include "runtime/data/token_stream.h"

namespace accel::runtime {

class TokenSource final : public SampleSource {
 public:
  // Rows of `length` in a stream of `tokens`: the last row needs a successor.
  static int64_t RowCount(int64_t tokens, int64_t length);

  // A target is filled with successors, an input with the tokens themselves.
  // Requires: field is [*, T] of an integer type that holds the vocabulary.
  TokenSource(std::shared_ptr<const TokenStream> stream, SignatureField field);

  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override;

 private:
  std::shared_ptr<const TokenStream> stream_;
  SignatureField field_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_SOURCE_H_
