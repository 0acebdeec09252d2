// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field fed from the rows of .npy files, as they are or as next-token labels
// of a row of token ids.
#ifndef ACCEL_RUNTIME_DATA_ARRAY_SOURCE_H_
#define ACCEL_RUNTIME_DATA_ARRAY_SOURCE_H_

#include <memory>
#include <vector>

#include "runtime/data/array_rows.h"
#include "runtime/data/integer_element.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"

namespace accel::runtime {

class ArraySource final : public SampleSource {
 public:
  enum class View {
    kRows,       // the row
    kNextToken,  // element t is element t + 1 of the row; the last is ignored
  };

  // Whether the rows fit the field: shape and type, not yet values. The
  // error says what was expected, what is there and what to do.
  static absl::Status Check(const ArrayRows& rows, const SignatureField& field);

  // Requires: Check(*rows, field) is OK.
  ArraySource(std::shared_ptr<const ArrayRows> rows, SignatureField field,
              View view);

  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override;

  // Every value, if all are at most kWholeCheckLimit long.
  absl::Status CheckValues() const;

 private:
  absl::Status Read(int64_t row, int64_t first,
                    absl::Span<std::byte> dst) const;
  absl::Status FillIntegers(int64_t row, absl::Span<std::byte> dst) const;
  const IntegerRange& RangeAt(int64_t element) const {
    return ranges_[ranges_.size() == 1 ? 0 : static_cast<size_t>(element)];
  }
  absl::Status OutOfRange(int64_t row, int64_t element, int64_t value) const;

  std::shared_ptr<const ArrayRows> rows_;
  SignatureField field_;
  View view_;
  bool copies_bytes_;
  std::vector<IntegerRange> ranges_;  // one, or one for each element
  bool may_ignore_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_ARRAY_SOURCE_H_
