// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of .npy files, converted and checked on their way into a field.
#include "runtime/data/array_source.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// "[*, 64] of i64": any number of samples.
std::string ExpectedText(const SignatureField& field) {
  std::string text = "[*";
  for (size_t axis = 1; axis < field.shape.size(); ++axis) {
    absl::StrAppend(&text, ", ", field.shape[axis]);
  }
  return absl::StrCat(text, "] of ", DTypeName(field.dtype));
}

bool SameRowShape(const ArrayRows& rows, const SignatureField& field) {
  return rows.shape().size() == field.shape.size() &&
         std::equal(rows.shape().begin() + 1, rows.shape().end(),
                    field.shape.begin() + 1);
}

// Whether each target is a row with a place for every class.
bool LooksOneHot(const ArrayRows& rows, const SignatureField& field) {
  return field.is_target() && IsInt64Compatible(field.dtype) &&
         rows.shape().size() == field.shape.size() + 1 &&
         std::equal(field.shape.begin() + 1, field.shape.end(),
                    rows.shape().begin() + 1);
}

// What to do about the shape of an array.
std::string ShapeRemedy(const ArrayRows& rows, const SignatureField& field) {
  return LooksOneHot(rows, field)
             ? "targets are class numbers: of one-hot rows write "
               "ARRAY.argmax(-1)"
             : "save rows of this shape, or compile the model for the rows "
               "you have (accelc --dim)";
}

bool Convertible(DType from, DType to) {
  return from == to || (IsInt64Compatible(from) && IsInt64Compatible(to));
}

// What to do about the type of an array.
std::string TypeRemedy(DType wanted) {
  if (IsFloat(wanted) && ByteWidth(wanted) < 4 && wanted != DType::kF16) {
    return "no .npy type fits it: export the model with float32 inputs";
  }
  if (wanted == DType::kBool) {
    return "write ARRAY.astype('bool')";
  }
  const absl::string_view kind = IsFloat(wanted)             ? "float"
                                 : ValuesOf(wanted).min == 0 ? "uint"
                                                             : "int";
  return absl::StrCat("write ARRAY.astype('", kind, ByteWidth(wanted) * 8,
                      "')");
}

// Of each element of a sample; one for all, if they do not differ.
std::vector<IntegerRange> AllowedValues(const SignatureField& field) {
  if (!IsInt64Compatible(field.dtype)) {
    return {IntegerRange{}};
  }
  const IntegerRange possible = ValuesOf(field.dtype);
  std::vector<IntegerRange> allowed(
      field.ranges.empty() ? 1 : static_cast<size_t>(field.sample_elements()));
  for (size_t element = 0; element < allowed.size(); ++element) {
    const IntegerRange range = field.RangeAt(static_cast<int64_t>(element));
    allowed[element] = {std::max(possible.min, range.min),
                        std::min(possible.max, range.max)};
  }
  return allowed;
}

}  // namespace

absl::Status ArraySource::Check(const ArrayRows& rows,
                                const SignatureField& field) {
  const bool same_shape = SameRowShape(rows, field);
  if (same_shape && Convertible(rows.dtype(), field.dtype)) {
    return absl::OkStatus();
  }
  const std::string remedy =
      same_shape ? TypeRemedy(field.dtype) : ShapeRemedy(rows, field);
  return absl::InvalidArgumentError(
      absl::StrCat(field.Label(), ": expected ", ExpectedText(field), ", got ",
                   FormatShape(rows.shape()), " of ", DTypeName(rows.dtype()),
                   " in ", rows.Name(), "; ", remedy));
}

ArraySource::ArraySource(std::shared_ptr<const ArrayRows> rows,
                         SignatureField field, View view)
    : rows_(std::move(rows)),
      field_(std::move(field)),
      view_(view),
      copies_bytes_(!IsInt64Compatible(rows_->dtype())),
      ranges_(AllowedValues(field_)),
      may_ignore_(field_.is_target() && IsInt64Compatible(field_.dtype) &&
                  ValuesOf(field_.dtype).Contains(kIgnoredTarget)) {}

absl::Status ArraySource::Fill(int64_t row, absl::Span<std::byte> dst) const {
  if (copies_bytes_) {
    return Read(row, 0, dst);
  }
  return FillIntegers(row, dst);
}

absl::Status ArraySource::Read(int64_t row, int64_t first,
                               absl::Span<std::byte> dst) const {
  const ArrayRows::Place place = rows_->Find(row);
  return place.file.ReadRow(place.row, first, dst);
}

absl::Status ArraySource::FillIntegers(int64_t row,
                                       absl::Span<std::byte> dst) const {
  const int64_t from_width = ByteWidth(rows_->dtype());
  const int64_t to_width = ByteWidth(field_.dtype);
  const int64_t shift = view_ == View::kNextToken ? 1 : 0;
  const int64_t count = rows_->row_elements() - shift;
  std::array<std::byte, 16384> piece;
  const int64_t piece_elements =
      static_cast<int64_t>(piece.size()) / from_width;
  for (int64_t first = 0; first < count; first += piece_elements) {
    const int64_t here = std::min(piece_elements, count - first);
    RETURN_IF_ERROR(
        Read(row, first + shift,
             {piece.data(), static_cast<size_t>(here * from_width)}));
    for (int64_t i = 0; i < here; ++i) {
      const int64_t value =
          LoadInteger(rows_->dtype(), piece.data() + i * from_width);
      if (!RangeAt(first + shift + i).Contains(value) &&
          !(may_ignore_ && value == kIgnoredTarget)) {
        return OutOfRange(row, first + shift + i, value);
      }
      StoreInteger(field_.dtype, value, dst.data() + (first + i) * to_width);
    }
  }
  if (shift != 0 && !dst.empty()) {
    StoreInteger(field_.dtype, kIgnoredTarget, &dst[dst.size() - to_width]);
  }
  return absl::OkStatus();
}

absl::Status ArraySource::OutOfRange(int64_t row, int64_t element,
                                     int64_t value) const {
  const auto& [file, file_row] = rows_->Find(row);
  const IntegerRange& range = RangeAt(element);
  return absl::OutOfRangeError(absl::StrCat(
      field_.Label(), ": expected values from ", range.min, " to ", range.max,
      may_ignore_ ? absl::StrCat(" (or ", kIgnoredTarget, ", ignored)") : "",
      ", got ", value, " in '", file.path(), "' at row ", file_row,
      ", element ", element, " (byte offset ", file.OffsetOf(file_row, element),
      "); give ",
      field_.is_target() ? "labels that the model has outputs for"
                         : "values that the model was built for, such as its "
                           "own tokenizer's"));
}

absl::Status ArraySource::CheckValues() const {
  if (copies_bytes_ || rows_->data_size() > kWholeCheckLimit) {
    return absl::OkStatus();
  }
  std::vector<std::byte> sample(field_.sample_bytes());
  for (int64_t row = 0; row < rows_->rows(); ++row) {
    RETURN_IF_ERROR(FillIntegers(row, absl::MakeSpan(sample)));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
