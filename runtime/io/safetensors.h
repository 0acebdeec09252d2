// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The safetensors format: a strict reader that trusts nothing in the file, and
// a writer that streams tensors in any order and commits atomically.
#ifndef ACCEL_RUNTIME_IO_SAFETENSORS_H_
#define ACCEL_RUNTIME_IO_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/base/dtype.h"
#include "runtime/base/sha256.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // of the tensor's bytes, from the start of the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

// The format's own name of a type, e.g. "F32", and back.
absl::string_view SafetensorsDTypeName(DType dtype);
std::optional<DType> SafetensorsDTypeFromName(absl::string_view name);

// Parses the JSON header of a file that holds `data_size` bytes of tensors.
// Refused: duplicate keys, unknown or sub-byte dtypes, sizes that differ from
// shape times width, holes, overlaps, bytes outside the file.
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json,
                                                         uint64_t data_size);

// Threads: const member functions may be called from any thread.
class SafetensorsReader {
 public:
  static absl::StatusOr<std::unique_ptr<SafetensorsReader>> Open(
      Vfs& vfs, const std::string& path);

  const std::string& path() const { return file_->path(); }
  const std::vector<SafetensorsEntry>& entries() const {
    return header_.entries;
  }
  const std::map<std::string, std::string>& metadata() const {
    return header_.metadata;
  }
  // Null if there is no tensor of that name.
  const SafetensorsEntry* Find(absl::string_view name) const;

  // Of the data behind the header.
  uint64_t data_bytes() const { return data_bytes_; }
  // SHA-256 of the header with its length in front of it.
  const Sha256Digest& header_digest() const { return header_digest_; }
  // Bytes [offset, offset + dst.size()) of the data.
  absl::Status ReadData(uint64_t offset, absl::Span<std::byte> dst) const;
  // Bytes [offset, offset + dst.size()) of the tensor.
  absl::Status Read(const SafetensorsEntry& entry, uint64_t offset,
                    absl::Span<std::byte> dst) const;

 private:
  SafetensorsReader(std::unique_ptr<File> file, SafetensorsHeader header);

  std::unique_ptr<File> file_;
  SafetensorsHeader header_;
  uint64_t data_offset_ = 0;
  uint64_t data_bytes_ = 0;
  Sha256Digest header_digest_ = {};
  std::map<std::string, size_t, std::less<>> index_;
};

struct SafetensorsSpec {
  std::string name = {};
  DType dtype = DType::kF32;
  std::vector<int64_t> shape = {};
};

// Writes the header first, then tensors piece by piece: pieces of one tensor in
// order, tensors in any order. Nothing is visible before Finish().
// The bytes depend on the specs, their data and the metadata alone. Tensors lie
// in the file by width, widest first, then by name, so that each is aligned.
class SafetensorsWriter {
 public:
  static absl::StatusOr<std::unique_ptr<SafetensorsWriter>> Create(
      Vfs& vfs, const std::string& path, std::vector<SafetensorsSpec> specs,
      const std::map<std::string, std::string>& metadata = {});

  // Of the file that Create would make.
  static absl::StatusOr<uint64_t> FileBytes(
      std::vector<SafetensorsSpec> specs,
      const std::map<std::string, std::string>& metadata);

  // Into the order in which tensors lie in the file.
  static void Sort(std::vector<SafetensorsSpec>& specs);

  // Replaces a text of the metadata by one of the same length, in characters
  // that JSON does not escape.
  absl::Status SetMetadata(const std::string& key, const std::string& value);
  // With its length in front and its padding.
  const std::string& header() const { return header_; }
  uint64_t file_bytes() const { return file_bytes_; }

  // Adds the next bytes of tensor `name`.
  absl::Status Append(absl::string_view name, absl::Span<const std::byte> src);

  // Fails, naming them, if tensors are incomplete.
  absl::Status Finish();

 private:
  struct Slot {
    uint64_t offset = 0;  // in the file
    uint64_t size = 0;
    uint64_t written = 0;
  };
  SafetensorsWriter(std::string path, std::unique_ptr<AtomicFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status WriteHeader();

  std::string path_;
  std::unique_ptr<AtomicFile> file_;
  std::vector<SafetensorsSpec> specs_;
  std::map<std::string, std::string> metadata_;
  std::string header_;
  uint64_t file_bytes_ = 0;
  std::map<std::string, Slot, std::less<>> slots_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_SAFETENSORS_H_
