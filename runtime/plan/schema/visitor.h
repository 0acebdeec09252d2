// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one way to tell the kinds of instructions apart. Executor, validation and
// text are InstructionVisitors, so a new kind does not compile until each of
// them says what it does with it.
#ifndef ACCEL_RUNTIME_PLAN_SCHEMA_VISITOR_H_
#define ACCEL_RUNTIME_PLAN_SCHEMA_VISITOR_H_

#include "absl/status/status.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

class InstructionVisitor {
 public:
  virtual ~InstructionVisitor() = default;

  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Launch& launch) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Fetch& fetch) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Repeat& repeat) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::ReadMetric& metric) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Load& load) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Fill& fill) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Copy& copy) = 0;
  virtual absl::Status Visit(const planpb::Instruction& instruction,
                             const planpb::Collective& collective) = 0;
};

// Calls the visitor's function for the instruction's body. Unimplemented if
// this release does not know the kind.
absl::Status VisitInstruction(const planpb::Instruction& instruction,
                              InstructionVisitor& visitor);

// "launch", "fetch", ...; "unknown".
const char* InstructionKind(const planpb::Instruction& instruction);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SCHEMA_VISITOR_H_
