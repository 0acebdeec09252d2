// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of binding files to a signature: what each field has got so far,
// and the checks and the identity that need all fields together.
#ifndef ACCEL_RUNTIME_DATA_FIELD_SLOTS_H_
#define ACCEL_RUNTIME_DATA_FIELD_SLOTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/errors.h"
#include "runtime/data/array_rows.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"
#include "runtime/data/token_stream.h"

namespace accel::runtime {

// What is known of one field. Its values come from `array`, from `tokens`, or
// from neither: then they are `note`.
struct FieldSlot {
  bool claimed = false;  // a flag names it, even if the flag is at fault
  bool values_ok = true;
  std::unique_ptr<SampleSource> source;
  int64_t rows = 0;
  std::string rows_note;  // "'x.npy'"
  std::string note;
  std::shared_ptr<const ArrayRows> array;
  std::shared_ptr<const TokenStream> tokens;
};

// Borrows: the signature.
class FieldSlots {
 public:
  // Messages call the option of the flags `option`.
  explicit FieldSlots(const std::vector<SignatureField>& signature,
                      absl::string_view option = kDataOption)
      : signature_(signature), option_(option), slots_(signature.size()) {}

  FieldSlot& operator[](size_t field) { return slots_[field]; }

  // The field of that name, claimed; nothing, with an error that begins with
  // the text of the flag, if there is none or it has data already.
  std::optional<size_t> Claim(const std::string& name, const std::string& flag,
                              ErrorList& errors);

  // Gives the fields without data what their `fill` says, if it is a constant.
  // Requires: the fields that flags name are bound.
  void FillRest();

  // Adds an error for every field that no flag and no rule serves, for fields
  // whose numbers of samples differ, and for fewer samples than a batch.
  void CheckComplete(int64_t global_batch, ErrorList& errors) const;

  // Requires: every slot has its source.
  absl::StatusOr<BoundSources> Release();

  // "input 'x' ([4, 64] of i64), target 'y' ([4] of i64)".
  std::string Describe(const std::vector<size_t>& fields) const;
  std::string DescribeAll() const;

 private:
  void CheckRows(int64_t global_batch, ErrorList& errors) const;

  const std::vector<SignatureField>& signature_;
  const std::string option_;
  std::vector<FieldSlot> slots_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_FIELD_SLOTS_H_
