// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which input takes tokens: decided by shapes and ranges, never by names.
#include "runtime/data/token_fields.h"

#include "runtime/data/integer_element.h"

namespace accel::runtime {
namespace {

template <typename Predicate>
void KeepIfAny(std::vector<size_t>& indices, Predicate keep) {
  std::vector<size_t> kept;
  for (const size_t index : indices) {
    if (keep(index)) {
      kept.push_back(index);
    }
  }
  if (!kept.empty()) {
    indices = std::move(kept);
  }
}

}  // namespace

bool IsTokenRow(const SignatureField& field) {
  return field.shape.size() == 2 && field.shape[1] >= 1 &&
         field.ranges.empty() && field.dtype != DType::kBool &&
         IsInt64Compatible(field.dtype);
}

bool IsSuccessorTarget(const SignatureField& target,
                       const SignatureField& input) {
  return target.is_target() && !input.is_target() && IsTokenRow(target) &&
         IsTokenRow(input) && target.shape[1] == input.shape[1] &&
         ValuesOf(target.dtype).Contains(kIgnoredTarget);
}

std::vector<size_t> TokenInputs(const std::vector<SignatureField>& signature) {
  std::vector<size_t> found;
  for (size_t i = 0; i < signature.size(); ++i) {
    const SignatureField& field = signature[i];
    if (!field.is_target() && IsTokenRow(field) && field.has_range()) {
      found.push_back(i);
    }
  }
  if (found.size() > 1) {
    KeepIfAny(found, [&](size_t i) {
      return SuccessorTarget(signature, i).has_value();
    });
  }
  if (found.size() > 1) {
    KeepIfAny(found, [&](size_t i) {
      const auto target = SuccessorTarget(signature, i);
      return target.has_value() &&
             signature[*target].max_value == signature[i].max_value;
    });
  }
  return found;
}

std::optional<size_t> SuccessorTarget(
    const std::vector<SignatureField>& signature, size_t input) {
  for (size_t i = 0; i < signature.size(); ++i) {
    if (IsSuccessorTarget(signature[i], signature[input])) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace accel::runtime
