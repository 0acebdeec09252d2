// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of instructions.
#include "runtime/plan/container/instruction_stream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::AppendInstruction;
using runtime::DecodeInstructions;
using ::testing::HasSubstr;

std::string SampleBytes(size_t& count) {
  SamplePlan plan = MakeSamplePlan();
  std::string bytes;
  for (const planpb::Instruction& instruction : plan.step()) {
    AppendInstruction(instruction, bytes);
  }
  count = plan.step().size();
  return bytes;
}

TEST(InstructionStreamTest, RecordsComeBack) {
  size_t count = 0;
  const std::string bytes = SampleBytes(count);
  ASSERT_OK_AND_ASSIGN(const auto decoded,
                       DecodeInstructions(bytes, static_cast<uint32_t>(count)));
  ASSERT_EQ(decoded.size(), count);
  EXPECT_EQ(decoded[3].name(), "fetch first");
}

TEST(InstructionStreamTest, TheCountIsChecked) {
  size_t count = 0;
  const std::string bytes = SampleBytes(count);
  EXPECT_THAT(DecodeInstructions(bytes, 3),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "expected 3 instructions, got 17"));
}

// Whatever the bytes are: an error or instructions, no crash and no huge claim.
TEST(InstructionStreamTest, TruncatedAndClaimingRecordsAreRefused) {
  size_t count = 0;
  const std::string bytes = SampleBytes(count);
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeInstructions(absl::string_view(bytes).substr(0, size),
                                    static_cast<uint32_t>(count))
                     .ok());
  }
  EXPECT_THAT(DecodeInstructions("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("instruction 0: it claims")));
  EXPECT_THAT(DecodeInstructions("\xff\xff", 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "instruction 0: its length cannot be read"));
}

}  // namespace
}  // namespace accel::testing
