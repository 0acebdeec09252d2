// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is read is hashed chunk by chunk.
#include "runtime/plan/container/container_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/hashed_chunk.h"
#include "runtime/plan/container/section_table.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<ContainerReader>> ContainerReader::Open(
    Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(OpenedPlan plan, OpenedPlan::Open(vfs, path));
  RETURN_IF_ERROR(InPlan(CheckSections(plan), path));
  return std::unique_ptr<ContainerReader>(new ContainerReader(std::move(plan)));
}

absl::Status ContainerReader::InFile(const absl::Status& status) const {
  return InPlan(status, path());
}

absl::Status ContainerReader::ReadChunk(uint32_t section, uint64_t chunk,
                                        absl::Span<std::byte> dst) const {
  return InFile(ReadHashedChunk(*plan_.file, plan_.manifest.sections(section),
                                chunk, dst));
}

uint64_t ContainerReader::ChunkBytes(uint32_t section, uint64_t chunk) const {
  return BytesOfChunk(plan_.manifest.sections(section), chunk);
}

absl::Status ContainerReader::CheckRange(uint32_t index, uint64_t offset,
                                         uint64_t size) const {
  const planpb::Section& section = plan_.manifest.sections(index);
  if (offset <= section.size() && size <= section.size() - offset) {
    return absl::OkStatus();
  }
  return InFile(absl::OutOfRangeError(absl::StrCat(
      "section '", section.name(), "': expected ", size, " bytes at offset ",
      offset, ", got a section of ", section.size())));
}

absl::Status ContainerReader::Read(uint32_t section, uint64_t offset,
                                   absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(CheckRange(section, offset, dst.size()));
  std::vector<std::byte> whole_chunk;
  while (!dst.empty()) {
    const uint64_t chunk = offset / kChunkSize;
    const uint64_t skip = offset % kChunkSize;
    const uint64_t bytes = ChunkBytes(section, chunk);
    const size_t count = std::min<uint64_t>(dst.size(), bytes - skip);
    if (count == bytes) {
      RETURN_IF_ERROR(ReadChunk(section, chunk, dst.first(count)));
    } else {
      whole_chunk.resize(bytes);
      RETURN_IF_ERROR(ReadChunk(section, chunk, absl::MakeSpan(whole_chunk)));
      std::memcpy(dst.data(), whole_chunk.data() + skip, count);
    }
    dst.remove_prefix(count);
    offset += count;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ContainerReader::ReadSection(uint32_t index,
                                                         uint64_t limit) const {
  const planpb::Section& section = plan_.manifest.sections(index);
  if (section.size() > limit) {
    return InFile(absl::ResourceExhaustedError(
        absl::StrCat("section '", section.name(), "': expected at most ", limit,
                     " bytes, got ", section.size())));
  }
  std::string bytes(section.size(), '\0');
  RETURN_IF_ERROR(
      Read(index, 0,
           absl::MakeSpan(reinterpret_cast<std::byte*>(bytes.data()),
                          bytes.size())));
  return bytes;
}

absl::Status ContainerReader::Verify(
    absl::FunctionRef<bool(const planpb::Section&)> wanted) const {
  std::vector<const planpb::Section*> sections;
  for (const planpb::Section& section : plan_.manifest.sections()) {
    if (wanted(section)) {
      sections.push_back(&section);
    }
  }
  RETURN_IF_ERROR(InFile(VerifyChunks(*plan_.file, sections)));
  return InFile(CheckGaps(plan_));
}

}  // namespace accel::runtime
