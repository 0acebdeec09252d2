// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameter by parameter, in pieces of a million elements.
#include "runtime/export/slot_file.h"

#include <algorithm>
#include <map>
#include <memory>

#include "runtime/base/status_macros.h"
#include "runtime/io/safetensors.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kGradientSlot = "gradient";
constexpr uint64_t kPieceElements = uint64_t{1} << 20;

std::vector<SafetensorsSpec> SpecsOf(
    const std::vector<LocatedParameter>& located) {
  std::vector<SafetensorsSpec> specs;
  for (const LocatedParameter& entry : located) {
    specs.push_back(
        {entry.parameter->name(),
         entry.place.dtype,
         {entry.parameter->shape().begin(), entry.parameter->shape().end()}});
  }
  return specs;
}

std::map<std::string, std::string> Metadata() { return {{"format", "pt"}}; }

}  // namespace

absl::StatusOr<std::vector<LocatedParameter>> LocateParameters(
    const PlanView& plan, absl::string_view slot) {
  std::vector<LocatedParameter> located;
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place, FindParameter(plan, parameter, slot));
    if (place && (parameter.trainable() || slot != kGradientSlot)) {
      located.push_back({&parameter, *place});
    }
  }
  return located;
}

absl::StatusOr<uint64_t> SlotFileBytes(const PlanView& plan,
                                       absl::string_view slot) {
  ASSIGN_OR_RETURN(const auto located, LocateParameters(plan, slot));
  return SafetensorsWriter::FileBytes(SpecsOf(located), Metadata());
}

absl::Status WriteSlotFile(
    Vfs& vfs, const PlanView& plan, absl::string_view slot,
    const ParameterReader& reader, const std::string& path, ExportRole role,
    const std::function<void(absl::Span<std::byte>)>& change) {
  ASSIGN_OR_RETURN(const auto located, LocateParameters(plan, slot));
  std::unique_ptr<SafetensorsWriter> writer;  // null: gives only
  if (role == ExportRole::kWriter) {
    ASSIGN_OR_RETURN(writer, SafetensorsWriter::Create(
                                 vfs, path, SpecsOf(located), Metadata()));
  }
  std::vector<std::byte> piece;
  for (const LocatedParameter& entry : located) {
    const uint64_t width = ByteWidth(entry.place.dtype);
    for (uint64_t first = 0; first < entry.place.elements;
         first += kPieceElements) {
      const uint64_t elements =
          std::min(kPieceElements, entry.place.elements - first);
      piece.resize(writer != nullptr ? elements * width : 0);
      RETURN_IF_ERROR(reader(*entry.parameter, entry.place, first, elements,
                             absl::MakeSpan(piece)));
      if (writer == nullptr) {
        continue;
      }
      if (change) {
        change(absl::MakeSpan(piece));
      }
      RETURN_IF_ERROR(writer->Append(entry.parameter->name(), piece));
    }
  }
  return writer == nullptr ? absl::OkStatus() : writer->Finish();
}

}  // namespace accel::runtime
