// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes as tokens, and which tokenizer a name means.
#include "tools/accel-data/tokenizer.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "tools/accel-data/sentence_piece.h"

namespace accel::tools {
namespace {

// The largest models of the field have some ten megabytes.
constexpr uint64_t kLargestModel = uint64_t{256} << 20;

class ByteTokenizer final : public Tokenizer {
 public:
  std::string Name() const override { return "bytes"; }
  int64_t vocabulary() const override { return 256; }
  std::optional<uint32_t> end_of_document() const override { return 0; }
  bool needs_utf8() const override { return false; }

  bool is_slow() const override { return false; }

  absl::Status Cut(absl::string_view text,
                   std::vector<std::string>& parts) override {
    parts.emplace_back(text);
    return absl::OkStatus();
  }
  std::string TakeRest() override { return ""; }
  absl::Status Encode(absl::string_view part,
                      std::vector<uint32_t>& ids) const override {
    const auto* bytes = reinterpret_cast<const uint8_t*>(part.data());
    ids.insert(ids.end(), bytes, bytes + part.size());
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Decode(
      absl::Span<const uint32_t> ids) const override {
    return std::string(ids.begin(), ids.end());
  }
};

}  // namespace

std::unique_ptr<Tokenizer> MakeByteTokenizer() {
  return std::make_unique<ByteTokenizer>();
}

absl::StatusOr<std::unique_ptr<Tokenizer>> OpenTokenizer(
    runtime::Vfs& vfs, const std::string& name, absl::string_view arguments) {
  if (name == "bytes") {
    return MakeByteTokenizer();
  }
  auto model = runtime::ReadWholeFile(vfs, name, kLargestModel);
  if (absl::IsNotFound(model.status())) {
    return absl::NotFoundError(absl::StrCat(
        "--tokenizer ", name,
        ": expected bytes or the file of a SentencePiece model, got no such "
        "file; check the path"));
  }
  RETURN_IF_ERROR(model.status());
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(*model), "{")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tokenizer ", name,
        ": expected bytes or a SentencePiece model, got a JSON file such as "
        "Hugging Face's tokenizer.json; accel-data-hf reads it and writes the "
        "same files: accel-data-hf --tokenizer ",
        name, arguments));
  }
  return OpenSentencePiece(name, *model);
}

}  // namespace accel::tools
