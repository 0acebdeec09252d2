// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks behind PlanView: every reference, range and enumerator of a plan's
// messages. What depends on the number of ranks and threads is checked by
// MemoryLayout.
#ifndef ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_H_
#define ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_H_

#include <array>
#include <optional>

#include "absl/status/status.h"
#include "google/protobuf/repeated_field.h"
#include "runtime/plan/schema/plan.pb.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// Metrics that every run shows: each plan that steps has them, and its step
// reports them.
inline constexpr std::array<absl::string_view, 3> kStepMetrics = {
    "loss", "tokens", "lr"};

absl::Status ValidateManifest(const planpb::Manifest& manifest);

// Axes and their degrees.
absl::Status ValidateMesh(const planpb::Mesh& mesh);
// Mesh, streams, arenas and buffers.
absl::Status ValidateMemory(const planpb::Manifest& manifest);
// Buckets, parameters, states, hyperparameters, metrics and signature.
absl::Status ValidateState(const planpb::Manifest& manifest);
// Low-rank pairs. Requires: parameters have been validated.
absl::Status ValidateAdapters(const planpb::Manifest& manifest);
// Code variants, kernels and export.
absl::Status ValidateProgram(const planpb::Manifest& manifest);
// Their names, roles and coordinates. Requires: the mesh has been validated.
absl::Status ValidateFunctions(const planpb::Manifest& manifest);

// Requires: ValidateManifest and FunctionView::Create accepted them.
absl::Status ValidateInstructions(const planpb::Manifest& manifest,
                                  const FunctionView& function);

// A call of a library in the place of a kernel's code.
absl::Status ValidateLibraryCall(const planpb::Kernel& kernel,
                                 const planpb::KernelEntry& entry);
absl::Status ValidateConvolution(const planpb::Kernel& kernel,
                                 const planpb::Convolution& convolution);
// How the result of a call gets into its memory.
absl::Status ValidateStoring(const planpb::Kernel& kernel,
                             planpb::Product::Result mode, uint32_t flag);

// Helpers that these share.

// Whether the plan answers; then it need not have a function to step.
bool Infers(const planpb::Manifest& manifest);

// `value` < `size`, or "refers to <what> <value> of <size>".
absl::Status CheckIndex(absl::string_view what, uint64_t value, uint64_t size);
// Section `section` exists, is of `kind`, and holds [offset, offset + size).
absl::Status CheckSectionRange(const planpb::Manifest& manifest,
                               uint64_t section, planpb::SectionKind kind,
                               uint64_t offset, uint64_t size);
absl::Status CheckElementType(planpb::ElementType type);
// Product of the dimensions, or nothing if it exceeds 64 bits.
std::optional<uint64_t> ElementCount(
    const google::protobuf::RepeatedField<uint64_t>& shape);
// Bytes of `elements`, rounded up, or nothing on overflow.
std::optional<uint64_t> ElementBytes(planpb::ElementType type,
                                     uint64_t elements);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VALIDATE_VALIDATE_H_
