// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags to fields: named arrays first, then the token stream, then labels that
// follow from either, then what is missing.
#include "runtime/data/file_binder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/array_source.h"
#include "runtime/data/field_slots.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/token_fields.h"
#include "runtime/data/token_source.h"

namespace accel::runtime {
namespace {

class FileBinder {
 public:
  FileBinder(Vfs& vfs, const std::vector<SignatureField>& signature)
      : vfs_(vfs), signature_(signature), slots_(signature) {}

  absl::StatusOr<BoundSources> Bind(const std::vector<std::string>& data,
                                    int64_t global_batch) {
    ParseFlags(data);
    for (const DataFlag& flag : flags_) {
      if (flag.kind == DataFlag::Kind::kArray) {
        BindArray(flag);
      }
    }
    for (const DataFlag& flag : flags_) {
      if (flag.kind == DataFlag::Kind::kTokens) {
        BindTokens(flag);
      }
    }
    DeriveLabels();
    slots_.FillRest();
    slots_.CheckComplete(global_batch, errors_);
    RETURN_IF_ERROR(errors_.ToStatus("the data do not fit the plan"));
    return slots_.Release();
  }

 private:
  void ParseFlags(const std::vector<std::string>& data);
  void BindArray(const DataFlag& flag);
  void BindTokens(const DataFlag& flag);
  void BindStream(const std::shared_ptr<TokenFile>& file, size_t input);
  void DeriveLabels();
  std::optional<size_t> TokenField(const DataFlag& flag);

  Vfs& vfs_;
  const std::vector<SignatureField>& signature_;
  FieldSlots slots_;
  std::vector<DataFlag> flags_;
  ErrorList errors_;
};

void FileBinder::ParseFlags(const std::vector<std::string>& data) {
  for (const std::string& text : data) {
    auto flag = ParseDataFlag(text);
    if (flag.ok()) {
      flags_.push_back(*std::move(flag));
    } else {
      errors_.Add(flag.status());
    }
  }
}

void FileBinder::BindArray(const DataFlag& flag) {
  if (flag.name.empty()) {
    errors_.Add(
        absl::StrCat("--data ", flag.text,
                     ": expected NAME=FILE.npy; say which field it is: ",
                     slots_.DescribeAll()));
    return;
  }
  const auto index = slots_.Claim(flag, errors_);
  auto opened = ArrayFile::Open(vfs_, flag.path);
  if (!opened.ok()) {
    errors_.Add(opened.status());
  }
  if (!index.has_value() || !opened.ok()) {
    return;
  }
  const SignatureField& field = signature_[*index];
  const std::shared_ptr<const ArrayFile> file = *std::move(opened);
  const absl::Status fits = ArraySource::Check(*file, field);
  if (!fits.ok()) {
    errors_.Add(fits);
    return;
  }
  auto source =
      std::make_unique<ArraySource>(file, field, ArraySource::View::kRows);
  const absl::Status values = source->CheckValues();
  errors_.Add(values);
  FieldSlot& slot = slots_[*index];
  slot.values_ok = values.ok();
  slot.source = std::move(source);
  slot.rows = file->rows();
  slot.rows_note = absl::StrCat("'", flag.path, "'");
  slot.note = absl::StrCat("'", flag.path, "' ", FormatShape(file->shape()),
                           " of ", DTypeName(file->dtype()));
  slot.array = file;
}

// The input that a stream goes to.
std::optional<size_t> FileBinder::TokenField(const DataFlag& flag) {
  if (!flag.name.empty()) {
    const auto index = slots_.Claim(flag, errors_);
    if (index.has_value() &&
        (signature_[*index].is_target() || !IsTokenRow(signature_[*index]))) {
      errors_.Add(absl::StrCat(
          "--data ", flag.text, ": expected an input of token ids, got ",
          slots_.Describe({*index}), "; a stream's labels come with it"));
      return std::nullopt;
    }
    return index;
  }
  std::vector<size_t> open;
  for (const size_t i : TokenInputs(signature_)) {
    if (!slots_[i].claimed) {
      open.push_back(i);
    }
  }
  if (open.size() == 1) {
    slots_[open[0]].claimed = true;
    return open[0];
  }
  errors_.Add(
      open.empty()
          ? absl::StrCat("--data ", flag.text,
                         ": expected an input of token ids without data, the "
                         "plan has ",
                         slots_.DescribeAll(),
                         "; give arrays: --data NAME=FILE.npy")
          : absl::StrCat("--data ", flag.text,
                         ": expected one input of token ids, the plan has ",
                         slots_.Describe(open),
                         "; say which: --data NAME=", flag.text));
  return std::nullopt;
}

void FileBinder::BindTokens(const DataFlag& flag) {
  const auto input = TokenField(flag);
  auto opened = TokenFile::Open(vfs_, flag.path, flag.encoding);
  if (!opened.ok()) {
    errors_.Add(opened.status());
  }
  if (!input.has_value()) {
    return;
  }
  if (const auto target = SuccessorTarget(signature_, *input);
      target.has_value() && !opened.ok()) {
    slots_[*target].claimed = true;
  }
  if (opened.ok()) {
    BindStream(*std::move(opened), *input);
  }
}

void FileBinder::BindStream(const std::shared_ptr<TokenFile>& file,
                            size_t input) {
  std::vector<size_t> fields = {input};
  const auto target = SuccessorTarget(signature_, input);
  if (target.has_value() && !slots_[*target].claimed) {
    fields.push_back(*target);
  }
  // An id must suit every field it goes to, and their element types.
  int64_t largest = UINT32_MAX;
  for (const size_t i : fields) {
    const SignatureField& field = signature_[i];
    largest = std::min(largest, ValuesOf(field.dtype).max);
    if (field.has_range()) {
      largest = std::min(largest, field.max_value);
    }
  }
  errors_.Add(file->SetVocabulary(largest + 1));
  for (const size_t i : fields) {
    FieldSlot& slot = slots_[i];
    slot.claimed = true;
    slot.source = std::make_unique<TokenSource>(file, signature_[i]);
    slot.rows = TokenSource::RowCount(file->size(), signature_[i].shape[1]);
    slot.rows_note = absl::StrCat("'", file->path(), "' (", file->size(),
                                  " tokens, rows of ", signature_[i].shape[1],
                                  " and a successor)");
    slot.note = absl::StrCat(
        signature_[i].is_successor() ? "successors in " : "", "'", file->path(),
        "' ", FormatCount(file->size()), " ", file->Layout());
    slot.tokens = file;
  }
}

void FileBinder::DeriveLabels() {
  for (size_t t = 0; t < signature_.size(); ++t) {
    std::vector<size_t> inputs;
    bool refused = false;
    for (const size_t i : TokenInputs(signature_)) {
      if (!IsSuccessorTarget(signature_[t], signature_[i])) {
        continue;
      }
      if (slots_[i].array != nullptr) {
        inputs.push_back(i);
      }
      refused = refused || (slots_[i].claimed && slots_[i].source == nullptr);
    }
    FieldSlot& slot = slots_[t];
    if (inputs.empty() && refused) {
      // With the right ids there would be labels: they are not missing as well.
      slot.claimed = true;
    }
    if (slot.claimed || inputs.size() != 1) {
      continue;
    }
    FieldSlot& ids = slots_[inputs[0]];
    const bool shifts = signature_[t].is_successor();
    auto source = std::make_unique<ArraySource>(
        ids.array, signature_[t],
        shifts ? ArraySource::View::kNextToken : ArraySource::View::kRows);
    if (ids.values_ok) {
      // Otherwise the same values would be complained about twice.
      errors_.Add(source->CheckValues());
    }
    slot.claimed = true;
    slot.source = std::move(source);
    slot.rows = ids.rows;
    slot.rows_note = ids.rows_note;
    slot.note = absl::StrCat(
        ids.note, shifts ? " shifted left by one, last ignored" : "");
    slot.array = ids.array;
  }
}

}  // namespace

absl::StatusOr<BoundSources> BindFiles(
    Vfs& vfs, const std::vector<SignatureField>& signature,
    const std::vector<std::string>& data, int64_t global_batch) {
  return FileBinder(vfs, signature).Bind(data, global_batch);
}

}  // namespace accel::runtime
