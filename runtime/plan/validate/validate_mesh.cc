// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the mesh: its axes, and which of them the ranks of a run lie along.
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kMaxDegree = uint64_t{1} << 32;

// Requires: all axes are there.
absl::Status ValidateSymbolicAxis(const planpb::Mesh& mesh) {
  int symbolic = 0;
  for (const planpb::AxisDegree& axis : mesh.axes()) {
    if (axis.degree() != 0) {
      continue;
    }
    if (!IsDataAxis(axis.axis())) {
      return absl::UnimplementedError(absl::StrCat(
          "mesh: expected axis '", MeshAxisName(axis.axis()),
          "' to have a degree; only 'replica' and 'fsdp' can be symbolic"));
    }
    ++symbolic;
  }
  if (symbolic != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mesh: expected one symbolic axis, 'replica' or 'fsdp', along which "
        "the ranks of a run lie, got ",
        symbolic));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateMesh(const planpb::Mesh& mesh) {
  if (mesh.axes_size() != kMeshAxes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mesh: expected ", kMeshAxes, " axes, got ", mesh.axes_size()));
  }
  for (int i = 0; i < kMeshAxes; ++i) {
    const planpb::AxisDegree& axis = mesh.axes(i);
    if (axis.axis() != i + 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "mesh: expected axis '",
          MeshAxisName(static_cast<planpb::MeshAxis>(i + 1)), "' as number ", i,
          ", got '", MeshAxisName(axis.axis()), "'"));
    }
    if (axis.degree() > kMaxDegree) {
      return absl::InvalidArgumentError(
          absl::StrCat("mesh: axis '", MeshAxisName(axis.axis()),
                       "' has degree ", axis.degree()));
    }
  }
  return ValidateSymbolicAxis(mesh);
}

}  // namespace accel::runtime
