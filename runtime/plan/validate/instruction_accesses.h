// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction touches.
#ifndef ACCEL_RUNTIME_PLAN_VALIDATE_INSTRUCTION_ACCESSES_H_
#define ACCEL_RUNTIME_PLAN_VALIDATE_INSTRUCTION_ACCESSES_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// The accesses of one instruction, by themselves and as its body uses them.
// Borrows: both.
class InstructionAccesses {
 public:
  InstructionAccesses(const planpb::Manifest& manifest,
                      const planpb::Instruction& instruction)
      : manifest_(manifest), instruction_(instruction) {}

  // Each one's buffer exists, and it lies in that buffer.
  absl::Status Validate() const;

  // How a body uses an access.
  enum class Use { kAny, kRead, kWrite };

  // The access exists and says that it is used so. `what`: the body's word for
  // it. Requires: Validate() accepted all of them.
  absl::Status CheckUse(absl::string_view what, uint32_t access, Use use) const;

  // At least `bytes`, unless the size is known only at load. Requires: the
  // access exists.
  absl::Status CheckRoom(absl::string_view what, uint32_t access,
                         uint64_t bytes) const;

  // Nothing where the number of ranks decides it. Requires: the access exists.
  std::optional<uint64_t> BytesOf(uint32_t access) const;

  // Requires: it exists.
  const planpb::Access& operator[](uint32_t access) const {
    return instruction_.accesses(static_cast<int>(access));
  }

 private:
  const planpb::Manifest& manifest_;
  const planpb::Instruction& instruction_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VALIDATE_INSTRUCTION_ACCESSES_H_
