// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Export by the ending of the file's name; weights and gradients as
// safetensors.
#include "tools/accel-run/export_model.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/parameters.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/safetensors.h"
#include "runtime/plan/schema/element_type.h"
#include "tools/accel-run/exit_code.h"

namespace accel::tools {
namespace {

using runtime::Executor;
using runtime::ParameterPlace;
using runtime::Plan;
using runtime::SafetensorsSpec;
using runtime::SafetensorsWriter;
using runtime::Vfs;

constexpr uint64_t kPieceElements = uint64_t{1} << 20;

// A parameter and where one of its slots lies.
struct Located {
  const planpb::Parameter* parameter = nullptr;
  ParameterPlace place;
};

// All parameters that have the slot.
absl::StatusOr<std::vector<Located>> Locate(const Plan& plan,
                                            absl::string_view slot) {
  std::vector<Located> located;
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place,
                     runtime::FindParameter(plan.view(), parameter, slot));
    if (place) {
      located.push_back({&parameter, *place});
    }
  }
  return located;
}

std::vector<SafetensorsSpec> SpecsOf(const std::vector<Located>& located) {
  std::vector<SafetensorsSpec> specs;
  for (const Located& entry : located) {
    specs.push_back(
        {entry.parameter->name(),
         entry.place.dtype,
         {entry.parameter->shape().begin(), entry.parameter->shape().end()}});
  }
  return specs;
}

std::map<std::string, std::string> Metadata() { return {{"format", "pt"}}; }

absl::Status CheckSafetensors(Vfs& vfs, const Plan& plan,
                              absl::string_view slot, const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<Located> located, Locate(plan, slot));
  ASSIGN_OR_RETURN(const uint64_t bytes,
                   SafetensorsWriter::FileBytes(SpecsOf(located), Metadata()));
  return WithExitCode(runtime::CheckRoom(vfs, path, bytes),
                      ExitCode::kInputOutput);
}

absl::Status CheckOnnxFile(Vfs& vfs, const Plan& plan,
                           const std::string& path) {
  RETURN_IF_ERROR(CheckOnnxExport(plan));
  return WithExitCode(runtime::CheckRoom(vfs, path, OnnxBytes(plan)),
                      ExitCode::kInputOutput);
}

// Reads every located tensor, piece by piece. `use` gets each one, unless it is
// null: then this rank only gives its parts.
using UsePiece = absl::FunctionRef<absl::Status(const Located& entry,
                                                absl::Span<std::byte> piece)>;
absl::Status ReadTensors(const Executor& executor,
                         const std::vector<Located>& located,
                         const std::optional<UsePiece>& use) {
  std::vector<std::byte> piece;
  for (const Located& entry : located) {
    const uint64_t width = runtime::ByteWidth(entry.place.dtype);
    for (uint64_t first = 0; first < entry.place.elements;
         first += kPieceElements) {
      const uint64_t elements =
          std::min(kPieceElements, entry.place.elements - first);
      piece.resize(use ? elements * width : 0);
      RETURN_IF_ERROR(runtime::ReadParameter(executor, entry.place, first,
                                             elements, absl::MakeSpan(piece)));
      if (use) {
        RETURN_IF_ERROR((*use)(entry, absl::MakeSpan(piece)));
      }
    }
  }
  return absl::OkStatus();
}

// Writes every located tensor; `change`, if there is one, sees each piece
// first.
absl::Status WriteTensors(
    Vfs& vfs, const Executor& executor, const std::vector<Located>& located,
    const std::string& path,
    const std::function<void(absl::Span<std::byte>)>& change) {
  ASSIGN_OR_RETURN(
      const auto writer,
      SafetensorsWriter::Create(vfs, path, SpecsOf(located), Metadata()));
  const auto write = [&](const Located& entry, absl::Span<std::byte> piece) {
    if (change) {
      change(piece);
    }
    return writer->Append(entry.parameter->name(), piece);
  };
  RETURN_IF_ERROR(ReadTensors(executor, located, write));
  return writer->Finish();
}

std::string OptionAndPath(absl::string_view option, const std::string& path) {
  return absl::StrCat(option, " ", path);
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
  const std::string context = OptionAndPath("--export", path);
  const bool onnx = absl::EndsWith(path, ".onnx");
  if (!onnx && !absl::EndsWith(path, ".safetensors")) {
    return absl::InvalidArgumentError(absl::StrCat(
        context, ": expected a name that ends in .onnx or .safetensors"));
  }
  return runtime::Annotate(onnx ? CheckOnnxFile(vfs, plan, path)
                                : CheckSafetensors(vfs, plan, "master", path),
                           context);
}

absl::Status ExportModel(Vfs& vfs, const Plan& plan, const Executor& executor,
                         const std::string& path, ExportRole role) {
  return absl::EndsWith(path, ".onnx")
             ? ExportOnnx(vfs, plan, executor, path, role)
             : ExportSafetensors(vfs, plan, executor, path, role);
}

absl::Status ExportSafetensors(Vfs& vfs, const Plan& plan,
                               const Executor& executor,
                               const std::string& path, ExportRole role) {
  ASSIGN_OR_RETURN(const std::vector<Located> located, Locate(plan, "master"));
  return role == ExportRole::kWriter
             ? WriteTensors(vfs, executor, located, path, nullptr)
             : ReadTensors(executor, located, std::nullopt);
}

absl::Status CheckGradients(Vfs& vfs, const Plan& plan,
                            const std::string& path) {
  const std::string context = OptionAndPath("--dump-gradients", path);
  if (!absl::EndsWith(path, ".safetensors")) {
    return absl::InvalidArgumentError(
        absl::StrCat(context, ": expected a name that ends in .safetensors"));
  }
  auto located = Locate(plan, "gradient");
  if (!located.ok()) {
    return runtime::Annotate(located.status(), context);
  }
  for (const Located& entry : *located) {
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
  return runtime::Annotate(CheckSafetensors(vfs, plan, "gradient", path),
                           context);
}

absl::Status DumpGradients(Vfs& vfs, const Plan& plan, const Executor& executor,
                           const std::string& path, ExportRole role) {
  const uint32_t metric = *plan.view().FindMetric("gradient_scale");
  ASSIGN_OR_RETURN(
      const double scale,
      runtime::GetScalar(
          executor,
          plan.manifest().metrics(static_cast<int>(metric)).buffer()));
  ASSIGN_OR_RETURN(const std::vector<Located> located,
                   Locate(plan, "gradient"));
  if (role == ExportRole::kGiver) {
    return ReadTensors(executor, located, std::nullopt);
  }
  return WriteTensors(
      vfs, executor, located, path,
      [scale](absl::Span<std::byte> piece) { Scale(scale, piece); });
}

}  // namespace accel::tools
