// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a function: declarations, labels and instructions.
#ifndef ACCEL_TEST_CUDA_PTX_FUNCTION_PARSER_H_
#define ACCEL_TEST_CUDA_PTX_FUNCTION_PARSER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "test/cuda/ptx/cursor.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/program.h"

namespace accel::ptx {

class FunctionParser {
 public:
  // Borrows: everything. `scopes` ends with the scope of the parameters.
  FunctionParser(Cursor& cursor, Program& program, Scopes& scopes,
                 Function& function)
      : cursor_(cursor),
        program_(program),
        scopes_(scopes),
        function_(function),
        registers_(function) {}

  // Reads from behind `{` to the matching `}`.
  void ReadBody();

 private:
  struct Jump {
    uint32_t instruction;
    std::string label;  // of a target, or of a list of targets
  };

  void ReadStatement();
  void ReadDirective(absl::string_view name);
  void ReadRegisters();
  void ReadPragma();
  void ReadLabel();
  void ReadInstruction();
  void Append(const Statement& statement, uint32_t guard, bool negated);
  Decode FindFamily(absl::string_view opcode) const;
  void DeclareShared(Variable variable);
  void ResolveJumps();
  void ResolveJump(const Jump& jump);
  uint32_t TargetOf(const Jump& jump, const std::string& label);

  Cursor& cursor_;
  Program& program_;
  Scopes& scopes_;
  Function& function_;
  RegisterFile registers_;
  std::map<std::string, uint32_t> labels_;
  std::map<std::string, std::vector<std::string>> target_lists_;
  std::vector<Jump> jumps_;
  uint32_t used_ = ~0u;  // of the next load, by its pragma
  bool has_used_ = false;
};

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_FUNCTION_PARSER_H_
