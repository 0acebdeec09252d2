// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and spelling of signature fields.
#include "runtime/data/signature.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"

namespace accel::runtime {

int64_t SignatureField::sample_elements() const {
  int64_t product = 1;
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    product *= shape[axis];
  }
  return product;
}

IntegerRange SignatureField::RangeAt(int64_t element) const {
  if (ranges.empty()) {
    return has_range() ? IntegerRange{min_value, max_value} : IntegerRange{};
  }
  int64_t run = 1;
  for (size_t axis = ranges_axis + 1; axis < shape.size(); ++axis) {
    run *= shape[axis];
  }
  return ranges[static_cast<size_t>(element / run) % ranges.size()];
}

std::string SignatureField::Label() const {
  return absl::StrCat(is_target() ? "target '" : "input '", name, "'");
}

std::string FormatField(const SignatureField& field) {
  return absl::StrCat(FormatShape(field.shape), " of ", DTypeName(field.dtype));
}

}  // namespace accel::runtime
