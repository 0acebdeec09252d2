// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files in memory: a reader of files reads a fuzzer's bytes, thousands of times
// a second, and a writer writes for it.
#ifndef ACCEL_TEST_FUZZ_MEMORY_VFS_H_
#define ACCEL_TEST_FUZZ_MEMORY_VFS_H_

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/vfs.h"

namespace accel::testing {

class MemoryFile final : public runtime::File {
 public:
  MemoryFile(std::string path, std::shared_ptr<std::string> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  const std::string& path() const override { return path_; }
  absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) override {
    const auto count = PRead(position_, dst);
    position_ += count.value_or(0);
    return count;
  }
  absl::StatusOr<size_t> PRead(uint64_t offset,
                               absl::Span<std::byte> dst) override {
    const uint64_t begin = std::min<uint64_t>(offset, bytes_->size());
    const size_t count = std::min<uint64_t>(dst.size(), bytes_->size() - begin);
    if (count > 0) {
      std::memcpy(dst.data(), bytes_->data() + begin, count);
    }
    return count;
  }
  absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) override {
    const auto count = PWrite(position_, src);
    position_ += count.value_or(0);
    return count;
  }
  absl::StatusOr<size_t> PWrite(uint64_t offset,
                                absl::Span<const std::byte> src) override {
    bytes_->resize(std::max<size_t>(bytes_->size(), offset + src.size()));
    bytes_->replace(offset, src.size(),
                    reinterpret_cast<const char*>(src.data()), src.size());
    return src.size();
  }
  absl::Status Truncate(uint64_t size) override {
    bytes_->resize(size);
    return absl::OkStatus();
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::StatusOr<runtime::FileStat> Stat() override {
    runtime::FileStat stat;
    stat.size = bytes_->size();
    stat.is_regular = true;
    return stat;
  }
  absl::Status TakePermissionsOf(const std::string&) override {
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  std::string path_;
  std::shared_ptr<std::string> bytes_;
  uint64_t position_ = 0;
};

// Threads: one, besides the files that it has opened.
class MemoryVfs final : public runtime::Vfs {
 public:
  MemoryVfs() = default;
  // One file.
  MemoryVfs(const std::string& path, std::string bytes) {
    files_[path] = std::make_shared<std::string>(std::move(bytes));
  }

  // Empty if there is none.
  std::string Content(const std::string& path) const {
    const auto found = files_.find(path);
    return found == files_.end() ? "" : *found->second;
  }

  absl::StatusOr<std::unique_ptr<runtime::File>> Open(
      const std::string& path, runtime::OpenMode mode) override {
    auto& file = files_[path];
    if (file == nullptr && mode == runtime::OpenMode::kRead) {
      files_.erase(path);
      return Absent(path);
    }
    if (file == nullptr || mode == runtime::OpenMode::kTruncate) {
      file = std::make_shared<std::string>();
    }
    return std::make_unique<MemoryFile>(path, file);
  }
  absl::StatusOr<std::unique_ptr<runtime::File>> OpenStream(
      const std::string& path) override {
    return Absent(path);
  }
  absl::Status CheckWritable(const std::string&) override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> ReadLink(const std::string& path) override {
    return absl::InvalidArgumentError(absl::StrCat("'", path, "': no link"));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    const auto found = files_.find(from);
    if (found == files_.end()) {
      return Absent(from);
    }
    files_[to] = found->second;
    files_.erase(from);
    return absl::OkStatus();
  }
  absl::Status Remove(const std::string& path) override {
    return files_.erase(path) == 1 ? absl::OkStatus() : Absent(path);
  }
  absl::Status SyncDirectory(const std::string&) override {
    return absl::OkStatus();
  }
  absl::StatusOr<runtime::FileStat> Stat(const std::string& path) override {
    if (path == kFolder) {
      runtime::FileStat folder;
      folder.is_directory = true;
      return folder;
    }
    const auto found = files_.find(path);
    if (found == files_.end()) {
      return Absent(path);
    }
    return MemoryFile(path, found->second).Stat();
  }
  absl::StatusOr<uint64_t> FreeBytes(const std::string&) override {
    return UINT64_MAX;
  }
  absl::Status MakeDirectory(const std::string&) override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override {
    return std::vector<std::string>();
  }
  absl::StatusOr<std::unique_ptr<runtime::FileLock>> TryLock(
      const std::string&) override {
    return std::make_unique<runtime::FileLock>();
  }

 private:
  static constexpr char kFolder[] = ".";  // the only one

  static absl::Status Absent(const std::string& path) {
    return absl::NotFoundError(absl::StrCat("'", path, "': no such file"));
  }

  std::map<std::string, std::shared_ptr<std::string>> files_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_FUZZ_MEMORY_VFS_H_
