// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes around a plan's sections, shared by the writer and the reader of
// plan files. docs/plan-format.md draws them.
//
//   0       header, 4096 bytes:
//             8  magic "ACCELPLN"
//             4  format major        4  format minor
//             8  size of the file
//             8  offset of the manifest (a multiple of 4096)
//             8  size of the manifest
//             8  bytes per chunk
//             32 SHA-256 of the manifest
//             32 root: SHA-256 of the 80 bytes before it
//             zeros
//   4096    sections, each at a multiple of 4096, zeros between them
//   ...     the manifest, a planpb::Manifest; the file ends with it
//
// Integers are little endian. The root names the plan: it covers the header,
// the manifest's digest, and through it the digest of every chunk of a section.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_FORMAT_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/sha256.h"

namespace accel::runtime {

inline constexpr absl::string_view kPlanMagic = "ACCELPLN";
// 2: every product is a kernel; there are no calls of libraries.
inline constexpr uint32_t kPlanFormatMajor = 4;
inline constexpr uint32_t kPlanFormatMinor = 9;
inline constexpr uint64_t kSectionAlignment = 4096;
inline constexpr uint64_t kPlanHeaderSize = 4096;
inline constexpr uint64_t kChunkSize = uint64_t{4} << 20;
// Chunks of `size` bytes; the last one may be shorter.
constexpr uint64_t ChunkCount(uint64_t size) {
  return size / kChunkSize + (size % kChunkSize != 0 ? 1 : 0);
}
// No message of a plan is larger.
inline constexpr uint64_t kMaxMessageSize = uint64_t{64} << 20;

struct PlanHeader {
  uint32_t format_major = kPlanFormatMajor;
  uint32_t format_minor = kPlanFormatMinor;
  uint64_t file_size = 0;
  uint64_t manifest_offset = 0;
  uint64_t manifest_size = 0;
  uint64_t chunk_size = kChunkSize;
  Sha256Digest manifest_digest = {};
  Sha256Digest root = {};  // computed by EncodeHeader

  std::string Version() const;  // "2.0"
};

// Fills `out` and header.root.
// Requires: out.size() == kPlanHeaderSize.
void EncodeHeader(PlanHeader& header, absl::Span<std::byte> out);

// Checks magic, version and root, in this order, then that nothing follows.
// Requires: bytes.size() == kPlanHeaderSize.
absl::StatusOr<PlanHeader> DecodeHeader(absl::Span<const std::byte> bytes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_CONTAINER_FORMAT_H_
