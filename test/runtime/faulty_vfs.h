// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vfs that counts operations, fails chosen ones and can transfer one byte at
// a time: what a bad disk does, on demand.
#ifndef ACCEL_TEST_RUNTIME_FAULTY_VFS_H_
#define ACCEL_TEST_RUNTIME_FAULTY_VFS_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/vfs.h"

namespace accel::testing {

using runtime::File;
using runtime::FileLock;
using runtime::FileStat;
using runtime::OpenMode;
using runtime::Vfs;

// Threads: Count may be called from any; plans are hashed by several.
struct Faults {
  int fail_at = -1;       // the operation, from 0, that fails with I/O error
  bool short_io = false;  // reads and writes move at most one byte
  int operations = 0;     // counted so far
  std::vector<std::string> log;
  std::mutex mutex;

  // Called before each operation, outside of the lock: may take its time.
  std::function<void(const std::string& what)> before = nullptr;

  absl::Status Count(const std::string& what) {
    if (before) {
      before(what);
    }
    const std::lock_guard lock(mutex);
    log.push_back(what);
    if (operations++ == fail_at) {
      return absl::UnavailableError(absl::StrCat("injected: ", what));
    }
    return absl::OkStatus();
  }
};

class FaultyFile final : public File {
 public:
  FaultyFile(std::unique_ptr<File> base, Faults& faults)
      : base_(std::move(base)), faults_(faults) {}

  const std::string& path() const override { return base_->path(); }
  absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) override {
    const absl::Status status = faults_.Count("read");
    return status.ok() ? base_->Read(Short(dst)) : status;
  }
  absl::StatusOr<size_t> PRead(uint64_t offset,
                               absl::Span<std::byte> dst) override {
    const absl::Status status = faults_.Count("read");
    return status.ok() ? base_->PRead(offset, Short(dst)) : status;
  }
  absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) override {
    const absl::Status status = faults_.Count("write");
    return status.ok() ? base_->Write(Short(src)) : status;
  }
  absl::StatusOr<size_t> PWrite(uint64_t offset,
                                absl::Span<const std::byte> src) override {
    const absl::Status status = faults_.Count("write");
    return status.ok() ? base_->PWrite(offset, Short(src)) : status;
  }
  absl::Status Truncate(uint64_t size) override {
    const absl::Status status = faults_.Count("truncate");
    return status.ok() ? base_->Truncate(size) : status;
  }
  absl::Status Sync() override {
    const absl::Status status = faults_.Count("sync");
    return status.ok() ? base_->Sync() : status;
  }
  absl::StatusOr<FileStat> Stat() override { return base_->Stat(); }
  absl::Status TakePermissionsOf(const std::string& path) override {
    const absl::Status status = faults_.Count("take permissions");
    return status.ok() ? base_->TakePermissionsOf(path) : status;
  }
  absl::Status Close() override {
    const absl::Status status = faults_.Count("close");
    return status.ok() ? base_->Close() : status;
  }

 private:
  template <typename T>
  absl::Span<T> Short(absl::Span<T> bytes) const {
    return faults_.short_io ? bytes.subspan(0, 1) : bytes;
  }

  std::unique_ptr<File> base_;
  Faults& faults_;
};

class FaultyVfs final : public Vfs {
 public:
  FaultyVfs(Vfs& base, Faults& faults) : base_(base), faults_(faults) {}

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path,
                                             OpenMode mode) override {
    absl::Status status = faults_.Count("open");
    if (!status.ok()) {
      return status;
    }
    auto file = base_.Open(path, mode);
    if (!file.ok()) {
      return file;
    }
    return std::make_unique<FaultyFile>(*std::move(file), faults_);
  }
  absl::StatusOr<std::unique_ptr<File>> OpenStream(
      const std::string& path) override {
    const absl::Status status = faults_.Count("open stream");
    if (!status.ok()) {
      return status;
    }
    auto file = base_.OpenStream(path);
    if (!file.ok()) {
      return file;
    }
    return std::make_unique<FaultyFile>(*std::move(file), faults_);
  }
  absl::Status CheckWritable(const std::string& path) override {
    return base_.CheckWritable(path);
  }
  absl::StatusOr<std::string> ReadLink(const std::string& path) override {
    return base_.ReadLink(path);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    const absl::Status status = faults_.Count("rename");
    return status.ok() ? base_.Rename(from, to) : status;
  }
  absl::Status Remove(const std::string& path) override {
    return base_.Remove(path);
  }
  absl::Status SyncDirectory(const std::string& directory) override {
    const absl::Status status = faults_.Count("sync directory");
    return status.ok() ? base_.SyncDirectory(directory) : status;
  }
  absl::StatusOr<FileStat> Stat(const std::string& path) override {
    return base_.Stat(path);
  }
  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) override {
    return base_.FreeBytes(path);
  }
  absl::Status MakeDirectory(const std::string& path) override {
    const absl::Status status = faults_.Count("make directory");
    return status.ok() ? base_.MakeDirectory(path) : status;
  }
  absl::StatusOr<std::vector<std::string>> List(
      const std::string& directory) override {
    return base_.List(directory);
  }
  absl::StatusOr<std::unique_ptr<FileLock>> TryLock(
      const std::string& path) override {
    return base_.TryLock(path);
  }

 private:
  Vfs& base_;
  Faults& faults_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_FAULTY_VFS_H_
