// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for an input that could keep documents apart.
#include "runtime/data/reset_attention.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace accel::runtime {

bool IsPairMask(const SignatureField& field) {
  const size_t axes = field.shape.size();
  return !field.is_target() && (axes == 3 || axes == 4) &&
         (axes == 3 || field.shape[1] == 1) && field.shape[axes - 1] > 1 &&
         field.shape[axes - 1] == field.shape[axes - 2];
}

absl::Status RefuseResetAttention(
    const std::vector<SignatureField>& signature) {
  std::string inputs;
  const SignatureField* mask = nullptr;
  for (const SignatureField& field : signature) {
    if (field.is_target()) {
      continue;
    }
    absl::StrAppend(&inputs, inputs.empty() ? "" : ", ", field.Label(), " (",
                    FormatField(field), ")");
    mask = mask == nullptr && IsPairMask(field) ? &field : mask;
  }
  const std::string remedy =
      mask != nullptr
          ? absl::StrCat("leave the flag out, and give ", mask->Label(),
                         " with the other fields as arrays, --data ",
                         mask->name,
                         "=FILE.npy, which allow what each token attends to")
          : std::string(
                "leave the flag out, and the model attends across the ends of "
                "documents; or compile a model whose attention takes a mask "
                "for each pair of tokens as an input, and give it as an array");
  return absl::InvalidArgumentError(absl::StrCat(
      "--reset-attention: expected an input that says of a stream which "
      "document each token is of, the plan has ",
      inputs, "; ", remedy));
}

}  // namespace accel::runtime
