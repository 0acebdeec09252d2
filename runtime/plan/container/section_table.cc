// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the table, and of the padding that it leaves.
#include "runtime/plan/container/section_table.h"

#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

absl::Status CheckSection(const planpb::Section& section, uint64_t previous_end,
                          uint64_t manifest_offset) {
  const std::string name = absl::StrCat("section '", section.name(), "'");
  if (section.kind() <= planpb::SECTION_UNSPECIFIED ||
      section.kind() > planpb::SECTION_EXPORT) {
    return absl::UnimplementedError(
        absl::StrCat(name, " is of unknown kind ", section.kind()));
  }
  if (section.offset() % kSectionAlignment != 0 ||
      section.offset() < previous_end || section.offset() > manifest_offset ||
      section.size() > manifest_offset - section.offset()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " (offset ", section.offset(), ", size ",
                     section.size(), ") does not lie between its neighbours"));
  }
  const uint64_t expected = ChunkCount(section.size()) * sizeof(Sha256Digest);
  if (section.chunk_digests().size() != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected ", expected, " bytes of hashes, got ",
                     section.chunk_digests().size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSections(const OpenedPlan& plan) {
  uint64_t end = kPlanHeaderSize;
  std::set<absl::string_view> names;
  for (const planpb::Section& section : plan.manifest.sections()) {
    RETURN_IF_ERROR(CheckSection(section, end, plan.header.manifest_offset));
    end = section.offset() + section.size();
    if (!names.insert(section.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two sections are named '", section.name(), "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckGaps(const OpenedPlan& plan) {
  uint64_t end = kPlanHeaderSize;
  const auto check = [&](uint64_t next, absl::string_view before) {
    if (next - end >= kSectionAlignment) {
      return absl::InvalidArgumentError(
          absl::StrCat("unused bytes before ", before));
    }
    std::array<std::byte, kSectionAlignment> bytes;
    const auto gap = absl::MakeSpan(bytes).first(next - end);
    RETURN_IF_ERROR(plan.file->ReadAt(end, gap));
    if (std::any_of(gap.begin(), gap.end(),
                    [](std::byte b) { return b != std::byte{0}; })) {
      return absl::DataLossError(absl::StrCat("the padding before ", before,
                                              " is damaged: it is not zero"));
    }
    return absl::OkStatus();
  };
  for (const planpb::Section& section : plan.manifest.sections()) {
    RETURN_IF_ERROR(check(section.offset(),
                          absl::StrCat("section '", section.name(), "'")));
    end = section.offset() + section.size();
  }
  return check(plan.header.manifest_offset, "the manifest");
}

}  // namespace accel::runtime
