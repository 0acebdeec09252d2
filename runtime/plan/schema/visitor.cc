// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one switch over the kinds of instructions.
#include "runtime/plan/schema/visitor.h"

#include "absl/strings/str_cat.h"

namespace accel::runtime {
namespace {

// Names the kind that it is shown.
class KindName : public InstructionVisitor {
 public:
  const char* name() const { return name_; }

  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Launch&) override {
    return Is("launch");
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Fetch&) override {
    return Is("fetch");
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Repeat&) override {
    return Is("repeat");
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::ReadMetric&) override {
    return Is("metric");
  }
  absl::Status Visit(const planpb::Instruction&, const planpb::Load&) override {
    return Is("load");
  }
  absl::Status Visit(const planpb::Instruction&, const planpb::Fill&) override {
    return Is("fill");
  }
  absl::Status Visit(const planpb::Instruction&, const planpb::Copy&) override {
    return Is("copy");
  }
  absl::Status Visit(const planpb::Instruction&,
                     const planpb::Collective&) override {
    return Is("collective");
  }

 private:
  absl::Status Is(const char* name) {
    name_ = name;
    return absl::OkStatus();
  }

  const char* name_ = "unknown";
};

}  // namespace

absl::Status VisitInstruction(const planpb::Instruction& instruction,
                              InstructionVisitor& visitor) {
  switch (instruction.body_case()) {
    case planpb::Instruction::kLaunch:
      return visitor.Visit(instruction, instruction.launch());
    case planpb::Instruction::kFetch:
      return visitor.Visit(instruction, instruction.fetch());
    case planpb::Instruction::kRepeat:
      return visitor.Visit(instruction, instruction.repeat());
    case planpb::Instruction::kMetric:
      return visitor.Visit(instruction, instruction.metric());
    case planpb::Instruction::kLoad:
      return visitor.Visit(instruction, instruction.load());
    case planpb::Instruction::kFill:
      return visitor.Visit(instruction, instruction.fill());
    case planpb::Instruction::kCopy:
      return visitor.Visit(instruction, instruction.copy());
    case planpb::Instruction::kCollective:
      return visitor.Visit(instruction, instruction.collective());
    case planpb::Instruction::BODY_NOT_SET:
      break;
  }
  return absl::UnimplementedError(absl::StrCat(
      "it is of a kind that this release does not know; compile the model "
      "again with this release's accelc"));
}

const char* InstructionKind(const planpb::Instruction& instruction) {
  KindName kind;
  VisitInstruction(instruction, kind).IgnoreError();
  return kind.name();
}

}  // namespace accel::runtime
