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
#include "runtime/io/output_files.h"
#include "tools/accel-data/document_reader.h"
#include "tools/accel-data/pack_progress.h"
#include "tools/accel-data/part_encoder.h"
#include "tools/accel-data/token_writer.h"

namespace accel::tools {
namespace {

class Packer final : public DocumentSink {
 public:
  Packer(Tokenizer& tokenizer, const TokenWriter& writer,
         PackProgress& progress, const std::function<int()>& stop_requested)
      : tokenizer_(tokenizer),
        writer_(writer),
        progress_(progress),
        stop_requested_(stop_requested) {}

  void SetEncoder(std::unique_ptr<PartEncoder> encoder) {
    encoder_ = std::move(encoder);
  }

  absl::Status Text(absl::string_view piece, const TextPlace& place) override {
    is_empty_ = is_empty_ && piece.empty();
    std::vector<std::string> parts;
    RETURN_IF_ERROR(
        runtime::Annotate(tokenizer_.Cut(piece, parts), place.Text()));
    for (std::string& part : parts) {
      RETURN_IF_ERROR(Add(std::move(part), place, /*ends_document=*/false));
    }
    return absl::OkStatus();
  }

  absl::Status EndDocument(const TextPlace& place) override {
    if (is_empty_) {
      ++empty_documents_;
      return absl::OkStatus();
    }
    ++documents_;
    is_empty_ = true;
    return Add(tokenizer_.TakeRest(), place, /*ends_document=*/true);
  }

  absl::Status Progress(uint64_t bytes) override {
    input_bytes_ += bytes;
    progress_.Update(input_bytes_, writer_.count());
    return stop_requested_() != 0 ? absl::CancelledError("stopped")
                                  : absl::OkStatus();
  }

  absl::Status Finish() { return encoder_->Finish(); }

  void AddTo(PackResult& result) const {
    result.documents = documents_;
    result.empty_documents = empty_documents_;
    result.input_bytes = input_bytes_;
  }

 private:
  absl::Status Add(std::string part, const TextPlace& place,
                   bool ends_document) {
    return encoder_->Add(
        {std::move(part), place.path, place.line, ends_document});
  }

  Tokenizer& tokenizer_;
  const TokenWriter& writer_;
  PackProgress& progress_;
  const std::function<int()>& stop_requested_;
  std::unique_ptr<PartEncoder> encoder_;
  bool is_empty_ = true;  // the document so far
  uint64_t documents_ = 0;
  uint64_t empty_documents_ = 0;
  uint64_t input_bytes_ = 0;
};

absl::Status WritePart(const DocumentPart& part, absl::Span<const uint32_t> ids,
                       std::optional<uint32_t> end, TokenWriter& writer) {
  // Otherwise a reader of the stream would see an end where there is none.
  if (end.has_value() && std::find(ids.begin(), ids.end(), *end) != ids.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", part.path, "', line ", part.line,
        " or below: expected no text that is token ", *end,
        " itself, which ends documents, got some; take another token for "
        "that (--end-of-document ID), or none (--end-of-document none)"));
  }
  RETURN_IF_ERROR(writer.Append(ids));
  return end.has_value() && part.ends_document ? writer.Append({&*end, 1})
                                               : absl::OkStatus();
}

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

// The output is none of the files that are read.
absl::Status CheckOutput(runtime::Vfs& vfs, const PackOptions& options) {
  runtime::OutputFiles files(vfs);
  absl::Status status;
  for (const std::string& input : options.inputs) {
    status.Update(files.AddInput("text", input));
  }
  if (options.tokenizer != "bytes") {
    status.Update(files.AddInput("--tokenizer", options.tokenizer));
  }
  status.Update(files.AddOutput("-o", options.output));
  return status.ok() ? status : absl::FailedPreconditionError(status.message());
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
  RETURN_IF_ERROR(CheckOutput(vfs, options));
  ASSIGN_OR_RETURN(const auto writer,
                   TokenWriter::Create(vfs, options.output, result.vocabulary));
  PackProgress progress(environment.console, total, options.quiet);
  Packer packer(*tokenizer, *writer, progress, environment.stop_requested);
  ASSIGN_OR_RETURN(
      auto encoder,
      PartEncoder::Create(
          *tokenizer, options.threads,
          [&](const DocumentPart& part, absl::Span<const uint32_t> ids) {
            return WritePart(part, ids, result.end_of_document, *writer);
          }));
  packer.SetEncoder(std::move(encoder));
  absl::Status packed = ReadAll(options, vfs, tokenizer->needs_utf8(), packer);
  if (packed.ok()) {
    packed = packer.Finish();
  }
  progress.Finish();
  RETURN_IF_ERROR(packed);
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
