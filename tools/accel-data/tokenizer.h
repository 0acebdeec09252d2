// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What turns text into token ids, and ids into text.
#ifndef ACCEL_TOOLS_ACCEL_DATA_TOKENIZER_H_
#define ACCEL_TOOLS_ACCEL_DATA_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // For people: "bytes", "SentencePiece model 'x.model'".
  virtual std::string Name() const = 0;
  // Ids are below this.
  virtual int64_t vocabulary() const = 0;
  // The token that ends documents unless the user says another one.
  virtual std::optional<uint32_t> end_of_document() const = 0;
  // Whether text must be UTF-8.
  virtual bool needs_utf8() const = 0;

  // Whether encoding takes so long that it is worth several threads.
  virtual bool is_slow() const = 0;

  // Takes the next text of a document, which ends anywhere between characters,
  // and appends to `parts` what can be encoded by itself by now: the tokens of
  // a document are those of its parts.
  virtual absl::Status Cut(absl::string_view text,
                           std::vector<std::string>& parts) = 0;
  // The document's last part; the next Cut() begins another document.
  virtual std::string TakeRest() = 0;

  // Appends the tokens of a part to `ids`.
  // Threads: any, also while Cut() runs.
  virtual absl::Status Encode(absl::string_view part,
                              std::vector<uint32_t>& ids) const = 0;

  // Requires: every id is below vocabulary().
  virtual absl::StatusOr<std::string> Decode(
      absl::Span<const uint32_t> ids) const = 0;
};

// Every byte is a token of its value. Documents end with 0, the byte that no
// text has, so a vocabulary of 256 is enough for all of it.
std::unique_ptr<Tokenizer> MakeByteTokenizer();

// "bytes", or the path of a SentencePiece model. The error of a tokenizer.json
// of Hugging Face says which program reads that, with `arguments` as its
// command line.
absl::StatusOr<std::unique_ptr<Tokenizer>> OpenTokenizer(
    runtime::Vfs& vfs, const std::string& name, absl::string_view arguments);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_TOKENIZER_H_
