// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a plan with the runtime's reader, writes it with its writer.
#include "test/runtime/plan/plan_program.h"

#include <cstdlib>
#include <iostream>

#include "runtime/base/status_macros.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container/container_writer.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/plan.h"

namespace accel::testing {

absl::StatusOr<Program> ReadProgram(const std::string& path) {
  const auto vfs = runtime::MakePosixVfs();
  ASSIGN_OR_RETURN(const auto plan, runtime::Plan::Open(*vfs, path));
  Program program{plan->manifest(), {}, {}};
  for (const runtime::FunctionView& function : plan->view().functions()) {
    program.functions.push_back(function.instructions());
  }
  for (int i = 0; i < program.manifest.sections_size(); ++i) {
    const planpb::Section& section = program.manifest.sections(i);
    std::string& bytes = program.sections.emplace_back();
    if (section.kind() != planpb::SECTION_INSTRUCTIONS) {
      ASSIGN_OR_RETURN(bytes, plan->content().ReadSection(
                                  static_cast<uint32_t>(i), section.size()));
    }
  }
  return program;
}

absl::Status WriteProgram(const Program& program, const std::string& path) {
  const auto vfs = runtime::MakePosixVfs();
  ASSIGN_OR_RETURN(const auto writer,
                   runtime::ContainerWriter::Create(*vfs, path));
  for (size_t i = 0; i < program.sections.size(); ++i) {
    const planpb::Section& section =
        program.manifest.sections(static_cast<int>(i));
    std::string bytes = program.sections[i];
    for (size_t f = 0; f < program.functions.size(); ++f) {
      if (program.manifest.functions(static_cast<int>(f)).section() == i) {
        for (const planpb::Instruction& instruction : program.functions[f]) {
          runtime::AppendInstruction(instruction, bytes);
        }
      }
    }
    RETURN_IF_ERROR(
        writer->AddSection(section.name(), section.kind(), bytes).status());
  }
  return writer->Finish(program.manifest).status();
}

void Fail(const std::string& message) {
  std::cerr << message << "\n";
  std::exit(1);
}

}  // namespace accel::testing
