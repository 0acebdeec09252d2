// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims, completeness and identity of the fields of a signature.
#include "runtime/data/field_slots.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/filled_source.h"

namespace accel::runtime {

std::string FieldSlots::Describe(const std::vector<size_t>& fields) const {
  return absl::StrJoin(fields, ", ", [&](std::string* out, size_t i) {
    absl::StrAppend(out, signature_[i].Label(), " (",
                    FormatField(signature_[i]), ")");
  });
}

std::string FieldSlots::DescribeAll() const {
  std::vector<size_t> fields(signature_.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i] = i;
  }
  return Describe(fields);
}

std::optional<size_t> FieldSlots::Claim(const std::string& name,
                                        const std::string& flag,
                                        ErrorList& errors) {
  for (size_t i = 0; i < signature_.size(); ++i) {
    if (signature_[i].name != name) {
      continue;
    }
    if (slots_[i].claimed) {
      errors.Add(
          absl::StrCat(option_, " ", flag, ": ", signature_[i].Label(),
                       " has data already; give it either arrays or tokens"));
      return std::nullopt;
    }
    slots_[i].claimed = true;
    return i;
  }
  errors.Add(absl::StrCat(option_, " ", flag,
                          ": expected the name of a field of the plan, got '",
                          name, "'; the plan has ", DescribeAll()));
  return std::nullopt;
}

void FieldSlots::FillRest() {
  const FieldSlot* bound = nullptr;
  for (const FieldSlot& slot : slots_) {
    bound = bound == nullptr && slot.source != nullptr ? &slot : bound;
  }
  for (size_t i = 0; bound != nullptr && i < slots_.size(); ++i) {
    using Fill = SignatureField::Fill;
    const Fill fill = signature_[i].fill;
    FieldSlot& slot = slots_[i];
    if (slot.claimed || (fill != Fill::kOnes && fill != Fill::kPositions)) {
      continue;
    }
    slot.claimed = true;
    slot.source = std::make_unique<FilledSource>(signature_[i], fill);
    slot.rows = bound->rows;
    slot.rows_note = bound->rows_note;
    slot.note = FilledSource::Describe(fill);
  }
}

void FieldSlots::CheckComplete(int64_t global_batch, ErrorList& errors) const {
  for (size_t i = 0; i < signature_.size(); ++i) {
    if (slots_[i].claimed) {
      continue;
    }
    const SignatureField& field = signature_[i];
    errors.Add(absl::StrCat(field.Label(), ": expected ", FormatField(field),
                            ", got no data; add ", option_, " ", field.name,
                            "=FILE.npy"));
  }
  CheckRows(global_batch, errors);
}

void FieldSlots::CheckRows(int64_t global_batch, ErrorList& errors) const {
  const FieldSlot* first = nullptr;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const FieldSlot& slot = slots_[i];
    if (slot.source == nullptr) {
      continue;
    }
    if (first == nullptr) {
      first = &slot;
      continue;
    }
    if (slot.rows != first->rows) {
      errors.Add(absl::StrCat(signature_[i].Label(), ": expected ", first->rows,
                              " samples, as many as ", first->rows_note,
                              " has, got ", slot.rows, " in ", slot.rows_note,
                              "; every field needs the same samples"));
    }
  }
  if (first != nullptr && first->rows < global_batch) {
    const bool is_one = global_batch == 1;
    errors.Add(absl::StrCat(
        "expected at least ",
        is_one ? "one sample"
               : absl::StrCat(global_batch, " samples, the global batch"),
        ", got ", first->rows, " in ", first->rows_note, "; give more data",
        is_one ? "" : " or a smaller --global-batch"));
  }
}

absl::StatusOr<BoundSources> FieldSlots::Release() {
  BoundSources bound;
  Sha256 hash;
  hash.Update("files, version 1");
  for (size_t i = 0; i < signature_.size(); ++i) {
    FieldSlot& slot = slots_[i];
    hash.UpdateInteger(signature_[i].name.size());
    hash.Update(signature_[i].name);
    hash.UpdateInteger(static_cast<uint64_t>(slot.rows));
    hash.UpdateInteger(static_cast<uint64_t>(signature_[i].sample_elements()));
    Sha256Digest digest = {};
    if (slot.tokens == nullptr && slot.array == nullptr) {
      hash.Update(slot.note);
    } else if (slot.tokens != nullptr) {
      hash.UpdateInteger(static_cast<uint64_t>(slot.tokens->width()));
      ASSIGN_OR_RETURN(digest, slot.tokens->Digest());
    } else {
      hash.Update(DTypeName(slot.array->dtype()));
      ASSIGN_OR_RETURN(digest, slot.array->Digest());
    }
    hash.Update(ToHex(digest));
    bound.rows = slot.rows;
    bound.notes.push_back(std::move(slot.note));
    bound.sources.push_back(std::move(slot.source));
  }
  bound.identity = ToHex(hash.Finish());
  return bound;
}

}  // namespace accel::runtime
