// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The container is taken apart without a look at its hashes, one message is
// changed through protobuf's reflection, and the runtime's own writer puts it
// together again.
#include "test/fuzz/plan_mutator.h"

#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "runtime/plan/container/container_writer.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/schema/plan.pb.h"
#include "test/fuzz/memory_vfs.h"

namespace accel::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

struct Parts {
  planpb::Manifest manifest;
  std::vector<std::string> sections;
  // Per function; nothing where the section cannot be read as instructions.
  std::vector<std::optional<std::vector<planpb::Instruction>>> functions;
};

uint64_t Integer(absl::string_view file, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

// Nothing if it does not lie in the file.
std::optional<absl::string_view> Piece(absl::string_view file, uint64_t offset,
                                       uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) {
    return std::nullopt;
  }
  return file.substr(offset, size);
}

std::optional<Parts> TakeApart(absl::string_view file) {
  constexpr size_t kManifestOffset = 24;
  constexpr size_t kManifestSize = 32;
  if (file.size() < kManifestSize + sizeof(uint64_t)) {
    return std::nullopt;
  }
  const auto bytes =
      Piece(file, Integer(file, kManifestOffset), Integer(file, kManifestSize));
  Parts parts;
  if (!bytes || bytes->empty() ||
      !parts.manifest.ParseFromArray(bytes->data(),
                                     static_cast<int>(bytes->size()))) {
    return std::nullopt;
  }
  for (const planpb::Section& section : parts.manifest.sections()) {
    parts.sections.emplace_back(
        Piece(file, section.offset(), section.size()).value_or(""));
  }
  for (const planpb::Function& function : parts.manifest.functions()) {
    auto& list = parts.functions.emplace_back();
    if (function.section() < parts.sections.size()) {
      auto decoded = runtime::DecodeInstructions(
          parts.sections[function.section()], function.instructions());
      if (decoded.ok()) {
        list = *std::move(decoded);
      }
    }
  }
  return parts;
}

std::string PutTogether(Parts parts) {
  for (size_t f = 0; f < parts.functions.size(); ++f) {
    planpb::Function* function =
        parts.manifest.mutable_functions(static_cast<int>(f));
    if (!parts.functions[f] || function->section() >= parts.sections.size()) {
      continue;
    }
    std::string& records = parts.sections[function->section()];
    records.clear();
    for (const planpb::Instruction& instruction : *parts.functions[f]) {
      runtime::AppendInstruction(instruction, records);
    }
  }
  MemoryVfs vfs;
  const auto writer = runtime::ContainerWriter::Create(vfs, "plan").value();
  for (size_t i = 0; i < parts.sections.size(); ++i) {
    const planpb::Section& section =
        parts.manifest.sections(static_cast<int>(i));
    writer->AddSection(section.name(), section.kind(), parts.sections[i])
        .value();
  }
  writer->Finish(parts.manifest).value();
  return vfs.Content("plan");
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  void Change(Parts& parts) {
    do {
      ChangeOnce(parts);
    } while (Below(4) == 0);
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void ChangeOnce(Parts& parts) {
    const uint64_t what = Below(16);
    if (what == 0 && !parts.sections.empty()) {
      return ChangeBytes(parts.sections[Below(parts.sections.size())]);
    }
    if (what < 8 && !parts.functions.empty()) {
      auto& function = parts.functions[Below(parts.functions.size())];
      if (function && !function->empty()) {
        return ChangeFunction(*function);
      }
    }
    ChangeMessage(parts.manifest);
  }

  void ChangeFunction(std::vector<planpb::Instruction>& instructions) {
    const size_t at = Below(instructions.size());
    if (Below(8) != 0) {
      return ChangeMessage(instructions[at]);
    }
    std::swap(instructions[at], instructions[Below(instructions.size())]);
    // In order again, or the change is found out at once.
    for (size_t i = 0; i < instructions.size() && Below(4) != 0; ++i) {
      instructions[i].set_id(static_cast<uint32_t>(i));
    }
  }

  void ChangeBytes(std::string& bytes) {
    if (bytes.empty() || Below(4) == 0) {
      bytes.resize(Below(2 * bytes.size() + 2));
      return;
    }
    bytes[Below(bytes.size())] = static_cast<char>(random_());
  }

  // One field, in the message or in one that lies in it.
  void ChangeMessage(Message& message) {
    const auto* descriptor = message.GetDescriptor();
    if (descriptor->field_count() == 0) {
      return;
    }
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    // Most often one that is there.
    const FieldDescriptor* field =
        fields.empty() || Below(8) == 0
            ? descriptor->field(static_cast<int>(
                  Below(static_cast<uint64_t>(descriptor->field_count()))))
            : fields[Below(fields.size())];
    field->is_repeated() ? ChangeRepeated(message, field)
                         : ChangeSingle(message, field);
  }

  void ChangeRepeated(Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, field);
    const int at = size == 0 ? 0 : static_cast<int>(Below(size));
    const uint64_t what = Below(8);
    if (size == 0 || what == 0) {
      return Add(message, field);
    }
    if (what == 1) {
      return reflection->RemoveLast(&message, field);
    }
    if (what == 2) {
      return reflection->SwapElements(&message, field, at,
                                      static_cast<int>(Below(size)));
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      return ChangeMessage(
          *reflection->MutableRepeatedMessage(&message, field, at));
    }
    SetRepeated(message, field, at);
  }

  void Add(Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* added = reflection->AddMessage(&message, field);
        const int size = reflection->FieldSize(message, field);
        if (size > 1) {  // like one that is there
          added->CopyFrom(reflection->GetRepeatedMessage(
              message, field, static_cast<int>(Below(size - 1))));
        }
        return ChangeMessage(*added);
      }
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(&message, field, "added");
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(&message, field, Number<uint32_t>(0));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->AddUInt64(&message, field, Number<uint64_t>(0));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->AddEnumValue(&message, field, Number<int>(0));
      default:
        return;
    }
  }

  void SetRepeated(Message& message, const FieldDescriptor* field, int at) {
    const Reflection* r = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string text = r->GetRepeatedString(message, field, at);
        ChangeBytes(text);
        return r->SetRepeatedString(&message, field, at, text);
      }
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->SetRepeatedUInt32(
            &message, field, at,
            Number(r->GetRepeatedUInt32(message, field, at)));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetRepeatedUInt64(
            &message, field, at,
            Number(r->GetRepeatedUInt64(message, field, at)));
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetRepeatedEnumValue(
            &message, field, at,
            Number(r->GetRepeatedEnumValue(message, field, at)));
      default:
        return;
    }
  }

  void ChangeSingle(Message& message, const FieldDescriptor* field) {
    const Reflection* r = message.GetReflection();
    if (Below(8) == 0) {
      return r->ClearField(&message, field);
    }
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return ChangeMessage(*r->MutableMessage(&message, field));
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string text = r->GetString(message, field);
        ChangeBytes(text);
        return r->SetString(&message, field, text);
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(&message, field, !r->GetBool(message, field));
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetEnumValue(&message, field,
                               Number(r->GetEnumValue(message, field)));
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(&message, field,
                           Number(r->GetInt32(message, field)));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(&message, field,
                           Number(r->GetInt64(message, field)));
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->SetUInt32(&message, field,
                            Number(r->GetUInt32(message, field)));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetUInt64(&message, field,
                            Number(r->GetUInt64(message, field)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(&message, field, static_cast<float>(Real()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(&message, field, Real());
    }
  }

  // One near the old one, or at a border.
  template <typename T>
  T Number(T old) {
    using Limits = std::numeric_limits<T>;
    const auto bits = static_cast<uint64_t>(old);
    const std::array<uint64_t, 12> choices = {
        0,
        1,
        bits + 1,
        bits - 1,
        2 * bits,
        bits / 2,
        Below(16),
        Below(4096),
        static_cast<uint64_t>(Limits::max()),
        static_cast<uint64_t>(Limits::max()) / 2,
        static_cast<uint64_t>(Limits::min()),
        uint64_t{1} << Below(64)};
    return static_cast<T>(choices[Below(choices.size())]);
  }

  double Real() {
    using Limits = std::numeric_limits<double>;
    constexpr std::array<double, 8> kChoices = {0,
                                                -1,
                                                1,
                                                0.5,
                                                Limits::max(),
                                                Limits::infinity(),
                                                Limits::quiet_NaN(),
                                                Limits::denorm_min()};
    return kChoices[Below(kChoices.size())];
  }

  std::mt19937_64 random_;
};

}  // namespace

std::optional<std::string> MutatePlan(absl::string_view file, uint32_t seed) {
  std::optional<Parts> parts = TakeApart(file);
  if (!parts) {
    return std::nullopt;
  }
  Mutator(seed).Change(*parts);
  // What the writer makes of a table of sections is its own.
  while (parts->sections.size() >
         static_cast<size_t>(parts->manifest.sections_size())) {
    parts->sections.pop_back();
  }
  parts->sections.resize(parts->manifest.sections_size());
  parts->functions.resize(parts->manifest.functions_size());
  return PutTogether(*std::move(parts));
}

}  // namespace accel::testing
