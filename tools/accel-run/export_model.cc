// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the options, exit codes, and gradients of the exact mean.
#include "tools/accel-run/export_model.h"

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/parameters.h"
#include "runtime/export/averages.h"
#include "runtime/export/model_file.h"
#include "runtime/export/slot_file.h"
#include "runtime/io/atomic_file.h"
#include "tools/accel-run/exit_code.h"

namespace accel::tools {
namespace {

using runtime::Executor;
using runtime::Plan;
using runtime::Vfs;

constexpr absl::string_view kGradient = "gradient";

std::string OptionAndPath(absl::string_view option, const std::string& path) {
  return absl::StrCat(option, " ", path);
}

absl::Status CheckGradientRoom(Vfs& vfs, const Plan& plan,
                               const std::string& path) {
  ASSIGN_OR_RETURN(const uint64_t bytes,
                   runtime::SlotFileBytes(plan.view(), kGradient));
  return WithExitCode(runtime::CheckRoom(vfs, path, bytes),
                      ExitCode::kInputOutput);
}

absl::Status CheckFile(Vfs& vfs, const Plan& plan, const std::string& path,
                       const std::string& context) {
  RETURN_IF_ERROR(
      runtime::Annotate(runtime::CheckModelFile(plan, path), context));
  return WithExitCode(
      runtime::Annotate(runtime::CheckModelRoom(vfs, plan, path), context),
      ExitCode::kInputOutput);
}

// Multiplies a piece of f32 by `scale`, rounded once.
void Scale(double scale, absl::Span<std::byte> piece) {
  for (size_t i = 0; i < piece.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, &piece[i], sizeof value);
    value = static_cast<float>(value * scale);
    std::memcpy(&piece[i], &value, sizeof value);
  }
}

}  // namespace

absl::Status CheckExport(Vfs& vfs, const Plan& plan, const std::string& path) {
  return CheckFile(vfs, plan, path, OptionAndPath("--export", path));
}

absl::Status ExportModel(Vfs& vfs, const Plan& plan, const Executor& executor,
                         const std::string& path, ExportRole role) {
  return runtime::WriteModelFile(vfs, plan, runtime::ReadFrom(executor), path,
                                 role);
}

absl::Status CheckAverageExport(Vfs& vfs, const Plan& plan,
                                const std::string& path) {
  const std::string context = OptionAndPath("--export-ema", path);
  RETURN_IF_ERROR(
      runtime::Annotate(runtime::CheckAverages(plan.view()), context));
  return CheckFile(vfs, plan, path, context);
}

absl::Status ExportAverages(Vfs& vfs, const Plan& plan,
                            const Executor& executor, const std::string& path,
                            ExportRole role) {
  return runtime::WriteModelFile(
      vfs, plan, runtime::ReadAveragesFrom(plan.view(), executor), path, role);
}

absl::Status CheckGradients(Vfs& vfs, const Plan& plan,
                            const std::string& path) {
  const std::string context = OptionAndPath("--dump-gradients", path);
  if (!absl::EndsWith(path, ".safetensors")) {
    return absl::InvalidArgumentError(
        absl::StrCat(context, ": expected a name that ends in .safetensors"));
  }
  auto located = runtime::LocateParameters(plan.view(), kGradient);
  if (!located.ok()) {
    return runtime::Annotate(located.status(), context);
  }
  for (const runtime::LocatedParameter& entry : *located) {
    if (entry.place.dtype != runtime::DType::kF32) {
      return absl::UnimplementedError(absl::StrCat(
          context, ": the gradient of '", entry.parameter->name(),
          "': expected f32, got ", runtime::DTypeName(entry.place.dtype)));
    }
  }
  const auto* step = plan.view().FindFunction(planpb::FUNCTION_STEP);
  if (step->function().gradients_complete_plus_one() == 0 ||
      !plan.view().FindMetric("gradient_scale")) {
    return absl::FailedPreconditionError(absl::StrCat(
        context, ": the plan does not say where its gradients are complete"));
  }
  return runtime::Annotate(CheckGradientRoom(vfs, plan, path), context);
}

absl::Status DumpGradients(Vfs& vfs, const Plan& plan, const Executor& executor,
                           const std::string& path, ExportRole role) {
  const uint32_t metric = *plan.view().FindMetric("gradient_scale");
  ASSIGN_OR_RETURN(
      const double scale,
      runtime::GetScalar(
          executor,
          plan.manifest().metrics(static_cast<int>(metric)).buffer()));
  return runtime::WriteSlotFile(
      vfs, plan.view(), kGradient, runtime::ReadFrom(executor), path, role,
      [scale](absl::Span<std::byte> piece) { Scale(scale, piece); });
}

}  // namespace accel::tools
