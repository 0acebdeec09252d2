// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Length-delimited records over protobuf's coded streams.
#include "runtime/plan/container/instruction_stream.h"

#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "runtime/plan/container/container_format.h"
#include "runtime/plan/container/container_writer.h"

namespace accel::runtime {

void AppendInstruction(const planpb::Instruction& instruction,
                       std::string& section) {
  const std::string bytes = SerializeDeterministically(instruction);
  {
    google::protobuf::io::StringOutputStream stream(&section);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteVarint64(bytes.size());
  }
  section.append(bytes);
}

namespace {

// Takes one record off the front of `rest`.
absl::StatusOr<planpb::Instruction> TakeInstruction(absl::string_view& rest) {
  uint64_t size = 0;
  int prefix = 0;
  {
    const int visible = static_cast<int>(std::min<size_t>(rest.size(), 10));
    google::protobuf::io::CodedInputStream coded(
        reinterpret_cast<const uint8_t*>(rest.data()), visible);
    if (!coded.ReadVarint64(&size)) {
      return absl::InvalidArgumentError("its length cannot be read");
    }
    prefix = coded.CurrentPosition();
  }
  rest.remove_prefix(prefix);
  if (size > rest.size() || size > kMaxMessageSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it claims ", size, " bytes where ", rest.size(), " are left"));
  }
  planpb::Instruction instruction;
  if (!instruction.ParseFromArray(rest.data(), static_cast<int>(size))) {
    return absl::InvalidArgumentError("it cannot be parsed");
  }
  rest.remove_prefix(size);
  return instruction;
}

}  // namespace

absl::StatusOr<std::vector<planpb::Instruction>> DecodeInstructions(
    absl::string_view section, uint32_t count) {
  std::vector<planpb::Instruction> instructions;
  while (!section.empty()) {
    auto instruction = TakeInstruction(section);
    if (!instruction.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("instruction ", instructions.size(), ": ",
                       instruction.status().message()));
    }
    instructions.push_back(*std::move(instruction));
  }
  if (instructions.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", count, " instructions, got ", instructions.size()));
  }
  return instructions;
}

}  // namespace accel::runtime
