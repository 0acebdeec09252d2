// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libsentencepiece in words of the standard library alone: its header declares
// names of Abseil that clash with Abseil's own.
#ifndef ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_MODEL_H_
#define ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_MODEL_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accel::tools {

class SentencePieceModel {
 public:
  // Nothing if `model` is not the content of a model file.
  static std::unique_ptr<SentencePieceModel> Load(std::string_view model);
  ~SentencePieceModel();

  int size() const;  // ids are below this
  // The end-of-sentence token, if the model has one.
  std::optional<int> end_of_sentence() const;

  // Both return what is wrong, or nothing. Ids are inside the model.
  std::optional<std::string> Encode(std::string_view text,
                                    std::vector<int>& ids) const;
  std::optional<std::string> Decode(const std::vector<int>& ids,
                                    std::string& text) const;

 private:
  struct Library;
  explicit SentencePieceModel(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_SENTENCE_PIECE_MODEL_H_
