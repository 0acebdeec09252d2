// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a PTX text to a program: the module's directives and declarations here,
// the bodies of functions in function_parser.h.
#ifndef ACCEL_TEST_CUDA_PTX_PARSER_H_
#define ACCEL_TEST_CUDA_PTX_PARSER_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/cursor.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/program.h"

namespace accel::ptx {

absl::StatusOr<std::unique_ptr<Program>> ParseProgram(absl::string_view text);

// Reads `.align 4 .b8 name[12] = {1, 2}, other;` behind the state space.
std::vector<Variable> ReadVariables(Cursor& cursor, Space space,
                                    bool is_extern);

// Reads `.param .u64 .ptr .global .align 16 name` and gives it the next offset.
Parameter ReadParameter(Cursor& cursor, uint32_t& end);

// Reads an operand. Names of `scopes` tell a register from a variable.
Operand ReadOperand(Cursor& cursor, const Scopes& scopes);

// Declares a .param or .local variable of a function's frame in the innermost
// scope.
void DeclareFrameVariable(Function& function, Scopes& scopes,
                          Variable variable);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_PARSER_H_
