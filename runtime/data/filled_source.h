// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are the same in every sample: a mask that hides nothing, or
// positions.
#ifndef ACCEL_RUNTIME_DATA_FILLED_SOURCE_H_
#define ACCEL_RUNTIME_DATA_FILLED_SOURCE_H_

#include "runtime/data/sample_source.h"
#include "runtime/data/signature.h"

namespace accel::runtime {

class FilledSource final : public SampleSource {
 public:
  // Requires: `fill` is kOnes or kPositions, the field's type holds integers.
  FilledSource(SignatureField field, SignatureField::Fill fill);

  // Positions run along the last axis, from the field's smallest value on, and
  // begin again where the field's range or type ends.
  absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const override;

  // "ones" or "positions".
  static std::string Describe(SignatureField::Fill fill);

 private:
  SignatureField field_;
  SignatureField::Fill fill_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_FILLED_SOURCE_H_
