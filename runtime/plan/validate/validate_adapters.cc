// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the pairs that exports add to weights: what they index is there,
// and the three matrices of each fit together.
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

absl::Status ValidateMatrix(const planpb::Manifest& manifest,
                            absl::string_view what, uint32_t index,
                            uint64_t rows, uint64_t columns) {
  RETURN_IF_ERROR(CheckIndex(what, index, manifest.parameters_size()));
  const planpb::Parameter& parameter =
      manifest.parameters(static_cast<int>(index));
  if (parameter.dtype() == planpb::ELEMENT_F32 && parameter.shape_size() == 2 &&
      parameter.shape(0) == rows && parameter.shape(1) == columns) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("expected '", parameter.name(),
                                                 "' to be f32 [", rows, ", ",
                                                 columns, "]"));
}

absl::Status ValidateAdapter(const planpb::Manifest& manifest,
                             const planpb::Adapter& adapter, uint64_t rank) {
  RETURN_IF_ERROR(
      CheckIndex("weight", adapter.weight(), manifest.parameters_size()));
  const planpb::Parameter& weight =
      manifest.parameters(static_cast<int>(adapter.weight()));
  if (weight.shape_size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected '", weight.name(), "' to be a matrix"));
  }
  const uint64_t rows = weight.shape(0);
  const uint64_t columns = weight.shape(1);
  const uint64_t in = adapter.fan_in_fan_out() ? rows : columns;
  const uint64_t out = adapter.fan_in_fan_out() ? columns : rows;
  RETURN_IF_ERROR(
      ValidateMatrix(manifest, "weight", adapter.weight(), rows, columns));
  RETURN_IF_ERROR(ValidateMatrix(manifest, "A", adapter.a(), rank, in));
  return ValidateMatrix(manifest, "B", adapter.b(), out, rank);
}

}  // namespace

absl::Status ValidateAdapters(const planpb::Manifest& manifest) {
  const planpb::Adapters& adapters = manifest.adapters();
  if (!manifest.has_adapters()) {
    return absl::OkStatus();
  }
  if (adapters.rank() == 0 || !std::isfinite(adapters.alpha()) ||
      !(adapters.dropout() >= 0 && adapters.dropout() < 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "adapters: expected a rank from 1 on, a finite alpha and a dropout "
        "below 1, got ",
        adapters.rank(), ", ", adapters.alpha(), " and ", adapters.dropout()));
  }
  std::set<uint32_t> weights;
  for (const planpb::Adapter& adapter : adapters.added()) {
    const std::string context =
        absl::StrCat("adapter of '", adapter.module(), "'");
    RETURN_IF_ERROR(
        Annotate(ValidateAdapter(manifest, adapter, adapters.rank()), context));
    if (!weights.insert(adapter.weight()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": its weight has one already"));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
