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
#include "runtime/data/data_flag.h"
#include "runtime/data/field_slots.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/token_fields.h"
#include "runtime/data/token_source.h"

namespace accel::runtime {
namespace {

// All files of one field, from one flag or several.
struct FieldFiles {
  std::string name;  // of the field; empty: the input of token ids
  std::string flag;  // the first one's text
  bool is_array = false;
  std::vector<TokenPath> paths = {};
  bool ok = true;  // otherwise what is wrong has been said

  std::vector<std::string> PathsOnly() const {
    std::vector<std::string> result;
    for (const TokenPath& path : paths) {
      result.push_back(path.path);
    }
    return result;
  }
};

class FileBinder {
 public:
  FileBinder(Vfs& vfs, const std::vector<SignatureField>& signature,
             absl::string_view option)
      : vfs_(vfs),
        signature_(signature),
        option_(option),
        slots_(signature, option) {}

  absl::StatusOr<BoundSources> Bind(const std::vector<std::string>& data,
                                    int64_t global_batch) {
    for (const std::string& text : data) {
      AddFlag(text);
    }
    for (const FieldFiles& files : fields_) {
      if (files.is_array) {
        BindArray(files);
      }
    }
    for (const FieldFiles& files : fields_) {
      if (!files.is_array) {
        BindTokens(files);
      }
    }
    DeriveLabels();
    slots_.FillRest();
    slots_.CheckComplete(global_batch, errors_);
    RETURN_IF_ERROR(errors_.ToStatus("the data do not fit the plan"));
    return slots_.Release();
  }

 private:
  void AddFlag(const std::string& text);
  absl::Status AddFiles(const DataFlag& flag, FieldFiles& field);
  absl::Status CheckDistinct(const FieldFiles& field, const std::string& path);
  void BindArray(const FieldFiles& files);
  void BindTokens(const FieldFiles& files);
  void BindStream(const std::shared_ptr<TokenStream>& stream, size_t input);
  void DeriveLabels();
  std::optional<size_t> TokenField(const FieldFiles& files);

  Vfs& vfs_;
  const std::vector<SignatureField>& signature_;
  const std::string option_;
  FieldSlots slots_;
  std::vector<FieldFiles> fields_;
  ErrorList errors_;
};

void FileBinder::AddFlag(const std::string& text) {
  const auto flag = ParseDataFlag(text, option_);
  if (!flag.ok()) {
    errors_.Add(flag.status());
    return;
  }
  if (flag->name.empty() && flag->is_array()) {
    errors_.Add(absl::StrCat(
        option_, " ", text, ": expected NAME=FILE.npy; say which field it is: ",
        slots_.DescribeAll()));
    return;
  }
  auto field = std::find_if(
      fields_.begin(), fields_.end(),
      [&](const FieldFiles& files) { return files.name == flag->name; });
  if (field == fields_.end()) {
    // Without a name it is a stream, or refused.
    const bool is_array = !flag->name.empty() && flag->is_array();
    fields_.push_back({flag->name, text, is_array});
    field = fields_.end() - 1;
  }
  const absl::Status added = AddFiles(*flag, *field);
  errors_.Add(added);
  field->ok = field->ok && added.ok();
}

absl::Status FileBinder::AddFiles(const DataFlag& flag, FieldFiles& field) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                   FindDataFiles(vfs_, flag));
  const DataFlag first = {flag.text, flag.name, paths[0], flag.encoding,
                          flag.option};
  if (flag.name.empty() && first.is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(option_, " ", flag.text,
                     ": expected NAME=FILE.npy; say which field it is: ",
                     slots_.DescribeAll()));
  }
  if (field.paths.empty()) {
    field.is_array = first.is_array();
  }
  if (first.is_array() != field.is_array) {
    return absl::InvalidArgumentError(absl::StrCat(
        option_, " ", flag.text,
        ": expected files of one kind for a field, got '", field.paths[0].path,
        "' and '", paths[0], "'; give it either arrays or tokens"));
  }
  for (const std::string& path : paths) {
    RETURN_IF_ERROR(CheckDistinct(field, path));
    field.paths.push_back({path, flag.encoding});
  }
  return absl::OkStatus();
}

// A pattern and a name may mean the same file.
absl::Status FileBinder::CheckDistinct(const FieldFiles& field,
                                       const std::string& path) {
  const bool again =
      std::any_of(field.paths.begin(), field.paths.end(),
                  [&](const TokenPath& other) { return other.path == path; });
  return again ? absl::InvalidArgumentError(absl::StrCat(
                     option_, ": expected each file once, got '", path,
                     "' twice; its samples would count twice"))
               : absl::OkStatus();
}

void FileBinder::BindArray(const FieldFiles& files) {
  const auto index = slots_.Claim(files.name, files.flag, errors_);
  if (!files.ok) {
    return;
  }
  auto opened = ArrayRows::Open(vfs_, files.PathsOnly());
  if (!opened.ok()) {
    errors_.Add(opened.status());
  }
  if (!index.has_value() || !opened.ok()) {
    return;
  }
  const SignatureField& field = signature_[*index];
  const std::shared_ptr<const ArrayRows> rows = *std::move(opened);
  const absl::Status fits = ArraySource::Check(*rows, field);
  if (!fits.ok()) {
    errors_.Add(fits);
    return;
  }
  auto source =
      std::make_unique<ArraySource>(rows, field, ArraySource::View::kRows);
  const absl::Status values = source->CheckValues();
  errors_.Add(values);
  FieldSlot& slot = slots_[*index];
  slot.values_ok = values.ok();
  slot.source = std::move(source);
  slot.rows = rows->rows();
  slot.rows_note = rows->Name();
  slot.note = absl::StrCat(rows->Name(), " ", FormatShape(rows->shape()),
                           " of ", DTypeName(rows->dtype()));
  slot.array = rows;
}

// The input that a stream goes to.
std::optional<size_t> FileBinder::TokenField(const FieldFiles& files) {
  if (!files.name.empty()) {
    const auto index = slots_.Claim(files.name, files.flag, errors_);
    if (files.ok && index.has_value() &&
        (signature_[*index].is_target() || !IsTokenRow(signature_[*index]))) {
      errors_.Add(absl::StrCat(
          option_, " ", files.flag, ": expected an input of token ids, got ",
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
  if (!files.ok) {
    return std::nullopt;
  }
  errors_.Add(
      open.empty()
          ? absl::StrCat(option_, " ", files.flag,
                         ": expected an input of token ids without data, the "
                         "plan has ",
                         slots_.DescribeAll(), "; give arrays: ", option_,
                         " NAME=FILE.npy")
          : absl::StrCat(option_, " ", files.flag,
                         ": expected one input of token ids, the plan has ",
                         slots_.Describe(open), "; say which: ", option_,
                         " NAME=", files.flag));
  return std::nullopt;
}

void FileBinder::BindTokens(const FieldFiles& files) {
  const auto input = TokenField(files);
  absl::StatusOr<std::unique_ptr<TokenStream>> opened = nullptr;
  if (files.ok) {
    opened = TokenStream::Open(vfs_, files.paths);
    errors_.Add(opened.status());
  }
  if (!input.has_value()) {
    return;
  }
  const bool usable = files.ok && opened.ok();
  if (const auto target = SuccessorTarget(signature_, *input);
      target.has_value() && !usable) {
    slots_[*target].claimed = true;
  }
  if (usable) {
    BindStream(*std::move(opened), *input);
  }
}

void FileBinder::BindStream(const std::shared_ptr<TokenStream>& stream,
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
  errors_.Add(stream->SetVocabulary(largest + 1));
  for (const size_t i : fields) {
    FieldSlot& slot = slots_[i];
    slot.claimed = true;
    slot.source = std::make_unique<TokenSource>(stream, signature_[i]);
    slot.rows = TokenSource::RowCount(stream->size(), signature_[i].shape[1]);
    slot.rows_note =
        absl::StrCat(stream->Name(), " (", stream->size(), " tokens, rows of ",
                     signature_[i].shape[1], " and a successor)");
    slot.note = absl::StrCat(
        signature_[i].is_successor() ? "successors in " : "", stream->Name(),
        " ", FormatCount(stream->size()), " ", stream->Layout(),
        stream->documents().has_value()
            ? absl::StrCat(
                  ", ", FormatCount(*stream->documents()),
                  *stream->documents() == 1 ? " document" : " documents")
            : "");
    slot.tokens = stream;
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
    const std::vector<std::string>& data, int64_t global_batch,
    absl::string_view option) {
  return FileBinder(vfs, signature, option).Bind(data, global_batch);
}

}  // namespace accel::runtime
