// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writer of plan files: sections are streamed one after the other, hashed on
// the way, and the file appears complete or not at all.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_WRITER_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_WRITER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/sha256.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Use: { BeginSection, Append..., EndSection } or AddSection, again and again;
// then Finish with a manifest that refers to the sections by the indices that
// they were given.
class ContainerWriter {
 public:
  // `announce` as in AtomicFile::Create. Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<ContainerWriter>> Create(
      Vfs& vfs, const std::string& path,
      AtomicFile::Announce announce = nullptr);
  ~ContainerWriter();

  // Returns the section's index.
  // Requires: no section is open.
  absl::StatusOr<uint32_t> BeginSection(absl::string_view name,
                                        planpb::SectionKind kind);
  // Requires: a section is open.
  absl::Status Append(absl::Span<const std::byte> bytes);
  absl::Status Append(absl::string_view bytes);
  absl::Status EndSection();

  // Waits until all of it so far is on the disk.
  absl::Status Sync();
  // Bytes so far.
  uint64_t size() const { return position_; }

  // BeginSection, Append and EndSection in one.
  absl::StatusOr<uint32_t> AddSection(absl::string_view name,
                                      planpb::SectionKind kind,
                                      absl::string_view bytes);

  // Writes the manifest, after setting its version and sections, and the
  // header, and makes the file visible. Returns the root, which identifies the
  // plan. Requires: no section is open; called once.
  absl::StatusOr<Sha256Digest> Finish(planpb::Manifest manifest);

 private:
  ContainerWriter(std::string path, std::unique_ptr<AtomicFile> file);

  // Zeros up to the next multiple of kSectionAlignment.
  absl::Status Align();
  absl::Status Emit(absl::Span<const std::byte> bytes);
  void EndChunk();

  std::string path_;
  std::unique_ptr<AtomicFile> file_;
  uint64_t position_ = 0;
  google::protobuf::RepeatedPtrField<planpb::Section> sections_;
  bool section_open_ = false;
  std::optional<Sha256> chunk_;  // of the open section
  uint64_t chunk_bytes_ = 0;
};

// The deterministic serialisation that plans are made of.
std::string SerializeDeterministically(
    const google::protobuf::MessageLite& message);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_WRITER_H_
