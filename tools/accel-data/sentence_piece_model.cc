// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of libsentencepiece. Nothing of Abseil may be included here.
#include "tools/accel-data/sentence_piece_model.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace accel::tools {

struct SentencePieceModel::Library {
  sentencepiece::SentencePieceProcessor processor;
};

namespace {

// The library returns most errors, but throws some of those that damaged models
// cause. What is wrong, or nothing.
template <typename Call>
std::optional<std::string> Try(const Call& call) {
  try {
    const sentencepiece::util::Status status = call();
    return status.ok() ? std::nullopt
                       : std::optional<std::string>(status.error_message());
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::unique_ptr<SentencePieceModel> SentencePieceModel::Load(
    std::string_view model) {
  auto library = std::make_unique<Library>();
  const auto wrong =
      Try([&] { return library->processor.LoadFromSerializedProto(model); });
  if (wrong.has_value() || library->processor.GetPieceSize() < 1) {
    return nullptr;
  }
  return std::unique_ptr<SentencePieceModel>(
      new SentencePieceModel(std::move(library)));
}

SentencePieceModel::SentencePieceModel(std::unique_ptr<Library> library)
    : library_(std::move(library)) {}

SentencePieceModel::~SentencePieceModel() = default;

int SentencePieceModel::size() const {
  return library_->processor.GetPieceSize();
}

std::optional<int> SentencePieceModel::end_of_sentence() const {
  const int id = library_->processor.eos_id();
  return id < 0 || id >= size() ? std::nullopt : std::optional<int>(id);
}

std::optional<std::string> SentencePieceModel::Encode(
    std::string_view text, std::vector<int>& ids) const {
  auto wrong = Try([&] { return library_->processor.Encode(text, &ids); });
  if (wrong.has_value()) {
    return wrong;
  }
  const bool inside = std::all_of(ids.begin(), ids.end(), [this](int id) {
    return id >= 0 && id < size();
  });
  return inside ? std::nullopt
                : std::optional<std::string>("it gives ids that it has not");
}

std::optional<std::string> SentencePieceModel::Decode(
    const std::vector<int>& ids, std::string& text) const {
  return Try([&] { return library_->processor.Decode(ids, &text); });
}

}  // namespace accel::tools
