// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX module that an interpreter on the CPU can run, so that kernels are
// proven where there is no GPU. It is written from the PTX ISA document alone
// and shares no code with the compiler: it is a second opinion on what the
// compiler ships.
//
//   ASSERT_OK_AND_ASSIGN(Module module, Module::Parse(ptx_text));
//   const Kernel* kernel = module.Find("rms_norm");
//   GlobalMemory memory;                        // see memory.h
//   ASSERT_OK(memory.Add(x.data(), bytes, "x"));
//   Launch launch;                              // see interpreter.h
//   launch.grid = {rows};
//   launch.block = {256};
//   launch.Add(x.data());
//   ASSERT_OK(ptx::Run(*kernel, launch, memory, {.seed = 3}));
//
// Units:   sizes, offsets and alignments are bytes.
// Errors:  Parse refuses with kUnimplemented an instruction, a modifier or a
//          directive that the interpreter does not know, and with
//          kInvalidArgument a text that is no PTX. Both messages name the line
//          and quote it. Nothing is ever skipped in silence.
// Threads: a Module and its kernels do not change after Parse, so that several
//          threads may run them at once, each with a GlobalMemory of its own.
#ifndef ACCEL_TEST_CUDA_PTX_MODULE_H_
#define ACCEL_TEST_CUDA_PTX_MODULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {

struct Program;
struct Function;

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;

  uint64_t Count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// One parameter of a kernel, as cuLaunchKernel would have to pass it.
struct Parameter {
  std::string name;
  uint32_t size_bytes = 0;
  uint32_t alignment = 1;
  uint32_t offset = 0;
  // What .ptr .align promises of the address that is passed; 1: nothing.
  uint32_t pointee_alignment = 1;
};

// What a module says about one of its .entry functions.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;

  std::optional<Dim3> required_block;  // .reqntid
  std::optional<Dim3> maximum_block;   // .maxntid
  // The .shared variables that the kernel reaches, each at its alignment.
  uint32_t static_shared_bytes = 0;
  bool uses_dynamic_shared = false;  // The kernel names an .extern .shared.

  std::string target;   // "sm_90", of the module
  std::string version;  // "8.0", of the module

  // Borrows: both live as long as the Module.
  const Program* program = nullptr;
  const Function* code = nullptr;
};

class Module {
 public:
  static absl::StatusOr<Module> Parse(absl::string_view text);

  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  // Null if the module has no kernel of that name.
  const Kernel* Find(absl::string_view name) const;
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::string& target() const;
  const std::string& version() const;

 private:
  explicit Module(std::unique_ptr<Program> program);

  std::unique_ptr<Program> program_;
  std::vector<Kernel> kernels_;
};

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_MODULE_H_
