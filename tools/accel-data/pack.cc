// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Documents from the readers, through a tokenizer, to the writer.
#include "tools/accel-data/pack.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "tools/accel-data/document_reader.h"
#include "tools/accel-data/pack_progress.h"
#include "tools/accel-data/token_writer.h"

namespace accel::tools {
namespace {

class Packer final : public DocumentSink {
 public:
  Packer(Tokenizer& tokenizer, std::optional<uint32_t> end, TokenWriter& writer,
         PackProgress& progress, const std::function<int()>& stop_requested)
      : tokenizer_(tokenizer),
        end_(end),
        writer_(writer),
        progress_(progress),
        stop_requested_(stop_requested) {}

  absl::Status Text(absl::string_view piece, const TextPlace& place) override {
    is_empty_ = is_empty_ && piece.empty();
    RETURN_IF_ERROR(
        runtime::Annotate(tokenizer_.Add(piece, ids_), place.Text()));
    return Write(place);
  }

  absl::Status EndDocument(const TextPlace& place) override {
    if (is_empty_) {
      ++empty_documents_;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(runtime::Annotate(tokenizer_.Finish(ids_), place.Text()));
    RETURN_IF_ERROR(Write(place));
    if (end_.has_value()) {
      RETURN_IF_ERROR(writer_.Append({&*end_, 1}));
    }
    ++documents_;
    is_empty_ = true;
    return absl::OkStatus();
  }

  absl::Status Progress(uint64_t bytes) override {
    input_bytes_ += bytes;
    progress_.Update(input_bytes_, writer_.count());
    return stop_requested_() != 0 ? absl::CancelledError("stopped")
                                  : absl::OkStatus();
  }

  void AddTo(PackResult& result) const {
    result.documents = documents_;
    result.empty_documents = empty_documents_;
    result.input_bytes = input_bytes_;
  }

 private:
  absl::Status Write(const TextPlace& place) {
    // Otherwise a reader of the stream would see an end where there is none.
    if (end_.has_value() &&
        std::find(ids_.begin(), ids_.end(), *end_) != ids_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          place.Text(), " or below: expected no text that is token ", *end_,
          " itself, which ends documents, got some; take another token for "
          "that (--end-of-document ID), or none (--end-of-document none)"));
    }
    const absl::Status written = writer_.Append(ids_);
    ids_.clear();
    return written;
  }

  Tokenizer& tokenizer_;
  std::optional<uint32_t> end_;
  TokenWriter& writer_;
  PackProgress& progress_;
  const std::function<int()>& stop_requested_;
  std::vector<uint32_t> ids_;
  bool is_empty_ = true;  // the document so far
  uint64_t documents_ = 0;
  uint64_t empty_documents_ = 0;
  uint64_t input_bytes_ = 0;
};

absl::StatusOr<std::optional<uint32_t>> ChooseEnd(const PackOptions& options,
                                                  const Tokenizer& tokenizer) {
  if (options.end_of_document == "none") {
    return std::optional<uint32_t>();
  }
  if (options.end_of_document.empty()) {
    if (!tokenizer.end_of_document().has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(tokenizer.Name(),
                       " has no token that ends documents; say which one does: "
                       "--end-of-document ID, or --end-of-document none"));
    }
    return tokenizer.end_of_document();
  }
  uint32_t id = 0;
  if (!absl::SimpleAtoi(options.end_of_document, &id)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--end-of-document: expected the id of a token or none, got '",
        options.end_of_document, "'"));
  }
  return std::optional<uint32_t>(id);
}

// The command line of the program that takes the same options.
std::string ArgumentsOf(const PackOptions& options) {
  return absl::StrCat(
      options.field ? absl::StrCat(" --field ", *options.field) : "",
      options.end_of_document.empty()
          ? ""
          : absl::StrCat(" --end-of-document ", options.end_of_document),
      " ", absl::StrJoin(options.inputs, " "), " -o ", options.output);
}

// All of them, so that a wrong name is noticed before hours of work.
absl::StatusOr<uint64_t> TotalSize(runtime::Vfs& vfs,
                                   const std::vector<std::string>& inputs) {
  runtime::ErrorList errors;
  uint64_t total = 0;
  for (const std::string& input : inputs) {
    const auto stat = vfs.Stat(input);
    if (absl::IsNotFound(stat.status())) {
      errors.Add(absl::StrCat("'", input, "': expected a file, got none"));
    } else if (!stat.ok()) {
      errors.Add(stat.status());
    } else if (stat->is_directory) {
      errors.Add(absl::StrCat("'", input,
                              "': expected a file, got a directory; name its "
                              "files: ",
                              input, "/*"));
    } else {
      total += stat->size;
    }
  }
  if (!errors.empty()) {
    return absl::NotFoundError(
        errors.ToStatus("the inputs cannot be read").message());
  }
  return total;
}

absl::Status ReadAll(const PackOptions& options, runtime::Vfs& vfs, bool utf8,
                     DocumentSink& sink) {
  ReaderOptions reader;
  reader.utf8 = utf8;
  reader.field = options.field.value_or("text");
  for (const std::string& input : options.inputs) {
    RETURN_IF_ERROR(options.field.has_value() || IsJsonLinesName(input)
                        ? ReadJsonLines(vfs, input, reader, sink)
                        : ReadTextFile(vfs, input, reader, sink));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PackResult::Describe(const std::string& output) const {
  const auto count = [](uint64_t number, absl::string_view noun) {
    return absl::StrCat(runtime::FormatCount(static_cast<int64_t>(number)), " ",
                        noun, number == 1 ? "" : "s");
  };
  std::string text = absl::StrCat(
      output, ": ", count(tokens, "token"), " of ", width * 8, " bits in ",
      count(documents, "document"), ", from ",
      runtime::FormatBytes(input_bytes), "\n  tokenizer ", tokenizer,
      ": ids below ", vocabulary, ", ",
      end_of_document
          ? absl::StrCat("token ", *end_of_document, " ends a document")
          : "nothing marks the end of a document");
  if (empty_documents > 0) {
    absl::StrAppend(&text, "\n  ", count(empty_documents, "empty document"),
                    " left out");
  }
  return text;
}

absl::StatusOr<PackResult> Pack(const PackOptions& options,
                                const PackEnvironment& environment) {
  runtime::Vfs& vfs = environment.vfs;
  ASSIGN_OR_RETURN(const auto tokenizer,
                   OpenTokenizer(vfs, options.tokenizer, ArgumentsOf(options)));
  PackResult result;
  result.tokenizer = tokenizer->Name();
  ASSIGN_OR_RETURN(result.end_of_document, ChooseEnd(options, *tokenizer));
  result.vocabulary = std::max(tokenizer->vocabulary(),
                               int64_t{result.end_of_document.value_or(0)} + 1);
  ASSIGN_OR_RETURN(const uint64_t total, TotalSize(vfs, options.inputs));
  ASSIGN_OR_RETURN(const auto writer,
                   TokenWriter::Create(vfs, options.output, result.vocabulary));
  PackProgress progress(environment.console, total, options.quiet);
  Packer packer(*tokenizer, result.end_of_document, *writer, progress,
                environment.stop_requested);
  const absl::Status read =
      ReadAll(options, vfs, tokenizer->needs_utf8(), packer);
  progress.Finish();
  RETURN_IF_ERROR(read);
  packer.AddTo(result);
  result.tokens = writer->count();
  result.width = writer->width();
  if (result.documents == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", absl::StrJoin(options.inputs, "', '"),
                     "': expected text, got no byte"));
  }
  RETURN_IF_ERROR(writer->Commit());
  return result;
}

}  // namespace accel::tools
