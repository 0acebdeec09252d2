// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of code: variants and kernels; and of the export.
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

constexpr uint32_t kMaxArity = 4096;

absl::Status ValidateVariants(const planpb::Manifest& manifest) {
  for (const planpb::CodeVariant& variant : manifest.variants()) {
    const std::string context =
        absl::StrCat("code variant '", variant.name(), "'");
    if (variant.device() <= planpb::DEVICE_UNSPECIFIED ||
        variant.device() > planpb::DEVICE_CUDA) {
      return absl::UnimplementedError(
          absl::StrCat(context, ": unknown device ", variant.device()));
    }
    RETURN_IF_ERROR(Annotate(CheckSectionRange(manifest, variant.section(),
                                               planpb::SECTION_CODE, 0, 0),
                             context));
    if (variant.vector_lanes() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": expected vector lanes, got 0"));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateOperand(const planpb::KernelOperand& operand) {
  if (operand.mode() <= planpb::Access::MODE_UNSPECIFIED ||
      operand.mode() > planpb::Access::MODE_READ_WRITE) {
    return absl::UnimplementedError(
        absl::StrCat("unknown mode ", operand.mode()));
  }
  if (operand.bytes() == 0) {
    return absl::InvalidArgumentError("expected bytes, got 0");
  }
  return absl::OkStatus();
}

absl::Status ValidateTileBytes(const planpb::KernelEntry& entry,
                               const planpb::KernelOperand& operand,
                               uint64_t tile_bytes) {
  // More bytes than 64 bits count are enough, too.
  const auto all = CheckedMultiply(entry.tiles(), tile_bytes);
  if (tile_bytes != 0 &&
      (operand.per_thread() || (all && *all < operand.bytes()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", operand.bytes(), operand.per_thread() ? " per thread" : "",
        " bytes in ", entry.tiles(), " tiles, got ", tile_bytes, " for each"));
  }
  return absl::OkStatus();
}

// The tiles of one variant's code, and what each touches.
absl::Status ValidateGeometry(const planpb::Kernel& kernel,
                              const planpb::KernelEntry& entry) {
  if (entry.tiles() == 0 || entry.tiles() > uint64_t{INT64_MAX}) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected tiles, at least 1 and at most ", INT64_MAX,
                     ", got ", entry.tiles()));
  }
  if (entry.grain() != 0 && entry.grain() != entry.tiles()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a grain of 0 or of all ", entry.tiles(),
                     " tiles, got ", entry.grain()));
  }
  if (entry.tile_bytes_size() != kernel.operands_size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected what a tile touches of each of ", kernel.operands_size(),
        " operands, got ", entry.tile_bytes_size()));
  }
  for (int i = 0; i < kernel.operands_size(); ++i) {
    RETURN_IF_ERROR(Annotate(
        ValidateTileBytes(entry, kernel.operands(i), entry.tile_bytes(i)),
        absl::StrCat("operand ", i)));
  }
  return absl::OkStatus();
}

// What its code touches.
absl::Status ValidateOperands(const planpb::Kernel& kernel) {
  if (kernel.operands_size() != static_cast<int>(kernel.arity())) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a description of each of ", kernel.arity(),
                     " arguments, got ", kernel.operands_size()));
  }
  for (int i = 0; i < kernel.operands_size(); ++i) {
    RETURN_IF_ERROR(Annotate(ValidateOperand(kernel.operands(i)),
                             absl::StrCat("operand ", i)));
  }
  return absl::OkStatus();
}

// Code of GPUs has blocks of whole warps, that of CPUs has none.
absl::Status ValidateThreads(const planpb::CodeVariant& variant,
                             const planpb::KernelEntry& entry) {
  constexpr uint32_t kWarp = 32;
  constexpr uint32_t kMost = 1024;
  const bool has_blocks =
      variant.device() == planpb::DEVICE_CUDA && !entry.has_call();
  const uint32_t threads = entry.threads();
  if (has_blocks ? threads == 0 || threads > kMost || threads % kWarp != 0
                 : threads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        variant.name(), ": expected ",
        has_blocks ? absl::StrCat("blocks of whole warps of ", kWarp,
                                  " threads, at most ", kMost, " threads")
                   : "no blocks of threads",
        ", got ", threads));
  }
  return absl::OkStatus();
}

absl::Status ValidateKernel(const planpb::Manifest& manifest,
                            const planpb::Kernel& kernel) {
  if (kernel.arity() > kMaxArity) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected at most ", kMaxArity, " arguments, got ", kernel.arity()));
  }
  RETURN_IF_ERROR(ValidateOperands(kernel));
  if (kernel.entries_size() != manifest.variants_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an entry for each of ", manifest.variants_size(),
                     " variants, got ", kernel.entries_size()));
  }
  for (int i = 0; i < kernel.entries_size(); ++i) {
    const planpb::KernelEntry& entry = kernel.entries(i);
    RETURN_IF_ERROR(
        Annotate(ValidateGeometry(kernel, entry), manifest.variants(i).name()));
    RETURN_IF_ERROR(ValidateThreads(manifest.variants(i), entry));
    if (entry.has_call()) {
      RETURN_IF_ERROR(Annotate(ValidateLibraryCall(kernel, entry),
                               manifest.variants(i).name()));
      continue;
    }
    if (entry.size() == 0) {
      return absl::InvalidArgumentError("an entry without code");
    }
    RETURN_IF_ERROR(CheckSectionRange(manifest, manifest.variants(i).section(),
                                      planpb::SECTION_CODE, entry.offset(),
                                      entry.size()));
  }
  return absl::OkStatus();
}

absl::Status ValidateKernels(const planpb::Manifest& manifest) {
  std::set<absl::string_view> keys;
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const std::string context = absl::StrCat("kernel '", kernel.name(), "'");
    RETURN_IF_ERROR(Annotate(ValidateKernel(manifest, kernel), context));
    if (!keys.insert(kernel.key()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": key '", kernel.key(), "' comes twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateExportTensor(const planpb::Manifest& manifest,
                                  const planpb::ExportTensor& tensor) {
  RETURN_IF_ERROR(
      CheckIndex("parameter", tensor.parameter(), manifest.parameters_size()));
  const planpb::Parameter& parameter =
      manifest.parameters(static_cast<int>(tensor.parameter()));
  const uint64_t elements = *ElementCount(parameter.shape());
  const bool transposed = tensor.rows() != 0 || tensor.columns() != 0;
  if (transposed &&
      CheckedMultiply(tensor.rows(), tensor.columns()) != elements) {
    return absl::InvalidArgumentError(
        absl::StrCat("the transpose of ", tensor.rows(), " x ",
                     tensor.columns(), " has not ", elements, " elements"));
  }
  return absl::OkStatus();
}

absl::Status ValidateExport(const planpb::Manifest& manifest) {
  const planpb::Export& exported = manifest.export_();
  for (const uint32_t section :
       {exported.model_section_plus_one(), exported.graph_section_plus_one()}) {
    if (section == 0) {
      continue;
    }
    RETURN_IF_ERROR(Annotate(
        CheckSectionRange(manifest, section - 1, planpb::SECTION_EXPORT, 0, 0),
        "export"));
  }
  if ((exported.model_section_plus_one() == 0) !=
      (exported.graph_section_plus_one() == 0)) {
    return absl::InvalidArgumentError(
        "export: one part of the model is missing");
  }
  for (int i = 0; i < exported.tensors_size(); ++i) {
    RETURN_IF_ERROR(
        Annotate(ValidateExportTensor(manifest, exported.tensors(i)),
                 absl::StrCat("export tensor ", i)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateProgram(const planpb::Manifest& manifest) {
  RETURN_IF_ERROR(ValidateVariants(manifest));
  RETURN_IF_ERROR(ValidateKernels(manifest));
  RETURN_IF_ERROR(ValidateExport(manifest));
  return ValidateFunctions(manifest);
}

absl::Status ValidateManifest(const planpb::Manifest& manifest) {
  RETURN_IF_ERROR(ValidateMemory(manifest));
  RETURN_IF_ERROR(ValidateState(manifest));
  RETURN_IF_ERROR(ValidateAdapters(manifest));
  return ValidateProgram(manifest);
}

}  // namespace accel::runtime
