// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/module.h"

#include <algorithm>
#include <set>

#include "test/cuda/ptx/parser.h"
#include "test/cuda/ptx/program.h"
#include "test/cuda/ptx/spaces.h"

namespace accel::ptx {
namespace {

Kernel MakeKernel(const Program& program, const Function& function) {
  Kernel kernel;
  kernel.name = function.name;
  kernel.parameters = function.parameters;
  for (const Parameter& parameter : kernel.parameters) {
    kernel.parameter_bytes = parameter.offset + parameter.size_bytes;
  }
  kernel.required_block = function.required_block;
  kernel.maximum_block = function.maximum_block;
  kernel.static_shared_bytes = SharedSpace::StaticBytes(program, function);
  for (const uint32_t index : ReachableShared(program, function)) {
    kernel.uses_dynamic_shared |= program.variables[index].is_extern;
  }
  kernel.target = program.target;
  kernel.version = program.version;
  kernel.program = &program;
  kernel.code = &function;
  return kernel;
}

}  // namespace

std::vector<uint32_t> ReachableShared(const Program& program,
                                      const Function& kernel) {
  std::vector<uint32_t> found;
  std::vector<const Function*> pending = {&kernel};
  std::set<const Function*> seen = {&kernel};
  for (size_t at = 0; at < pending.size(); ++at) {
    for (const AddressUse& use : pending[at]->addresses) {
      const bool is_new =
          use.space == Space::kShared &&
          std::find(found.begin(), found.end(), use.variable) == found.end();
      if (is_new) {
        found.push_back(use.variable);
      }
    }
    for (const uint32_t callee : pending[at]->callees) {
      const Function* function = program.functions[callee].get();
      if (seen.insert(function).second) {
        pending.push_back(function);
      }
    }
  }
  std::stable_partition(found.begin(), found.end(), [&](uint32_t index) {
    return !program.variables[index].is_extern;
  });
  return found;
}

absl::StatusOr<Module> Module::Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseProgram(text);
  if (!program.ok()) {
    return program.status();
  }
  return Module(*std::move(program));
}

Module::Module(std::unique_ptr<Program> program)
    : program_(std::move(program)) {
  for (const auto& function : program_->functions) {
    if (function->is_kernel && function->is_defined) {
      kernels_.push_back(MakeKernel(*program_, *function));
    }
  }
}

Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

const Kernel* Module::Find(absl::string_view name) const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.name == name) {
      return &kernel;
    }
  }
  return nullptr;
}

const std::string& Module::target() const { return program_->target; }
const std::string& Module::version() const { return program_->version; }

}  // namespace accel::ptx
