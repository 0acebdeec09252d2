// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Container, instruction streams and view of a plan file, put together.
#include "runtime/plan/plan.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

// A function of a million instructions takes a tenth of this.
constexpr uint64_t kMaxInstructionBytes = uint64_t{4} << 30;

absl::StatusOr<std::vector<planpb::Instruction>> ReadInstructions(
    const ContainerReader& reader, const planpb::Function& function) {
  RETURN_IF_ERROR(CheckSectionRange(reader.manifest(), function.section(),
                                    planpb::SECTION_INSTRUCTIONS, 0, 0));
  ASSIGN_OR_RETURN(
      const std::string bytes,
      reader.ReadSection(function.section(), kMaxInstructionBytes));
  return DecodeInstructions(bytes, function.instructions());
}

absl::StatusOr<PlanView> ReadView(const ContainerReader& reader) {
  std::vector<std::vector<planpb::Instruction>> instructions;
  for (const planpb::Function& function : reader.manifest().functions()) {
    auto decoded = ReadInstructions(reader, function);
    if (!decoded.ok()) {
      return Annotate(decoded.status(),
                      absl::StrCat("function '", function.name(), "'"));
    }
    instructions.push_back(*std::move(decoded));
  }
  return PlanView::Create(reader.manifest(), std::move(instructions));
}

}  // namespace

Plan::Plan(std::unique_ptr<ContainerReader> reader, PlanView view)
    : reader_(std::move(reader)), view_(std::move(view)) {}

absl::StatusOr<std::unique_ptr<Plan>> Plan::Open(Vfs& vfs,
                                                 const std::string& path,
                                                 WeightCheck weights) {
  ASSIGN_OR_RETURN(std::unique_ptr<ContainerReader> reader,
                   ContainerReader::Open(vfs, path));
  RETURN_IF_ERROR(reader->Verify([&](const planpb::Section& section) {
    return weights == WeightCheck::kWhenOpened ||
           section.kind() != planpb::SECTION_WEIGHTS;
  }));
  auto view = ReadView(*reader);
  if (!view.ok()) {
    return Annotate(view.status(), absl::StrCat("'", path, "'"));
  }
  return std::unique_ptr<Plan>(new Plan(std::move(reader), *std::move(view)));
}

}  // namespace accel::runtime
