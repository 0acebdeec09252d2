// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reader of plan files. Nothing it hands out has bytes that were not hashed
// after they were read, and every byte of the file is covered.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_READER_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/sha256.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/container/container_format.h"
#include "runtime/plan/container/opened_plan.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Errors begin with the file's path; damage is DataLoss and names the section.
//
// Threads: const member functions may be called from any thread.
class ContainerReader {
 public:
  // Checks header, manifest hash and the table of sections; unknown majors and
  // required features are refused here. Sections are not read yet.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<ContainerReader>> Open(
      Vfs& vfs, const std::string& path);

  const std::string& path() const { return plan_.file->path(); }
  const planpb::Manifest& manifest() const { return plan_.manifest; }
  const PlanHeader& header() const { return plan_.header; }
  const Sha256Digest& root() const { return plan_.header.root; }

  // Reads and hashes every section of which `wanted` holds, on all cores, and
  // the zeros between all of them.
  absl::Status Verify(
      absl::FunctionRef<bool(const planpb::Section&)> wanted) const;

  // Bytes [offset, offset + dst.size()) of a section. What is in `dst`
  // afterwards is what was hashed.
  // Requires: the section exists.
  absl::Status Read(uint32_t section, uint64_t offset,
                    absl::Span<std::byte> dst) const;
  // The bytes of chunk `chunk` of a section, the unit in which it is hashed:
  // less than a chunk at the section's end. Who reads whole chunks hashes no
  // byte twice.
  // Requires: both exist, and dst.size() is ChunkBytes(section, chunk).
  absl::Status ReadChunk(uint32_t section, uint64_t chunk,
                         absl::Span<std::byte> dst) const;
  uint64_t ChunkBytes(uint32_t section, uint64_t chunk) const;
  // OutOfRange unless bytes [offset, offset + size) lie in the section.
  // Requires: the section exists.
  absl::Status CheckRange(uint32_t section, uint64_t offset,
                          uint64_t size) const;
  // A whole section; refused if longer than `limit`.
  absl::StatusOr<std::string> ReadSection(uint32_t section,
                                          uint64_t limit) const;

 private:
  explicit ContainerReader(OpenedPlan plan) : plan_(std::move(plan)) {}

  absl::Status InFile(const absl::Status& status) const;

  OpenedPlan plan_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_READER_H_
