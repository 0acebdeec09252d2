// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of functions: names, roles, and that every rank has one of each role.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/instruction_names.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

using Functions = std::vector<const planpb::Function*>;

std::string ContextOf(const planpb::Function& function) {
  return absl::StrCat("function '", function.name(), "'");
}

// At which coordinate along `axis` ranks run `function`; null: at all.
const planpb::AxisCoordinate* CoordinateOf(const planpb::Function& function,
                                           planpb::MeshAxis axis) {
  const auto found = std::ranges::find(function.coordinates(), axis,
                                       &planpb::AxisCoordinate::axis);
  return found == function.coordinates().end() ? nullptr : &*found;
}

// How many ranks at different places run it, those of the data counted once.
// Requires: the mesh has all axes, and degrees beside those of the data.
uint64_t PlacesOf(const planpb::Mesh& mesh, const planpb::Function* function) {
  uint64_t places = 1;
  for (const planpb::AxisDegree& axis : mesh.axes()) {
    const bool is_fixed =
        function != nullptr && CoordinateOf(*function, axis.axis()) != nullptr;
    if (!IsDataAxis(axis.axis()) && !is_fixed) {
      places = CheckedMultiply(places, axis.degree()).value_or(UINT64_MAX);
    }
  }
  return places;
}

bool Share(const planpb::Function& a, const planpb::Function& b) {
  return std::ranges::none_of(
      a.coordinates(), [&](const planpb::AxisCoordinate& at) {
        const planpb::AxisCoordinate* other = CoordinateOf(b, at.axis());
        return other != nullptr && other->coordinate() != at.coordinate();
      });
}

absl::Status ValidateCoordinates(const planpb::Mesh& mesh,
                                 const planpb::Function& function) {
  std::set<planpb::MeshAxis> seen;
  for (const planpb::AxisCoordinate& at : function.coordinates()) {
    const planpb::MeshAxis axis = at.axis();
    const bool is_axis = axis > 0 && axis <= kMeshAxes && !IsDataAxis(axis);
    if (!is_axis || !seen.insert(axis).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected coordinates along different axes on which ranks have the "
          "same samples, got '",
          MeshAxisName(axis), "'"));
    }
    const uint64_t degree = mesh.axes(axis - 1).degree();
    if (at.coordinate() >= degree) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a coordinate below ", degree, " along '",
                       MeshAxisName(axis), "', got ", at.coordinate()));
    }
  }
  return absl::OkStatus();
}

// Those who run a plan find its functions by role, and by where they are.
absl::Status ValidateRole(const planpb::Mesh& mesh, planpb::FunctionRole role,
                          const Functions& functions) {
  uint64_t places = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    places =
        CheckedAdd(places, PlacesOf(mesh, functions[i])).value_or(UINT64_MAX);
    for (size_t j = 0; j < i; ++j) {
      if (Share(*functions[i], *functions[j])) {
        return absl::InvalidArgumentError(absl::StrCat(
            "two functions ", RoleName(role), " on the same ranks, '",
            functions[i]->name(), "' is the second"));
      }
    }
  }
  const uint64_t all = PlacesOf(mesh, nullptr);
  if (places != all) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no function to ", RoleName(role),
                     places == 0 ? ""
                                 : absl::StrCat(" on ", all - places, " of ",
                                                all, " places of the mesh")));
  }
  return absl::OkStatus();
}

}  // namespace

bool Infers(const planpb::Manifest& manifest) {
  return std::ranges::any_of(manifest.functions(),
                             [](const planpb::Function& function) {
                               return function.role() == planpb::FUNCTION_INFER;
                             });
}

absl::Status ValidateFunctions(const planpb::Manifest& manifest) {
  std::set<absl::string_view> names;
  std::map<planpb::FunctionRole, Functions> roles = {
      {planpb::FUNCTION_INITIALIZE, {}},
      {Infers(manifest) ? planpb::FUNCTION_INFER : planpb::FUNCTION_STEP, {}}};
  for (const planpb::Function& function : manifest.functions()) {
    const std::string context = ContextOf(function);
    RETURN_IF_ERROR(
        Annotate(CheckSectionRange(manifest, function.section(),
                                   planpb::SECTION_INSTRUCTIONS, 0, 0),
                 context));
    if (!names.insert(function.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": the name is taken"));
    }
    if (function.gradients_complete_plus_one() > function.instructions()) {
      return absl::InvalidArgumentError(absl::StrCat(
          context, ": its gradients are complete at no instruction of it"));
    }
    if (function.role() == planpb::FUNCTION_UNSPECIFIED ||
        !planpb::FunctionRole_IsValid(function.role())) {
      return absl::UnimplementedError(
          absl::StrCat(context, " is of unknown role ", function.role(),
                       "; compile the model again with this release's accelc"));
    }
    RETURN_IF_ERROR(
        Annotate(ValidateCoordinates(manifest.mesh(), function), context));
    roles[function.role()].push_back(&function);
  }
  for (const auto& [role, functions] : roles) {
    RETURN_IF_ERROR(ValidateRole(manifest.mesh(), role, functions));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
