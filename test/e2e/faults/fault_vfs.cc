// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One counter for the process; each operation passes it.
#include "test/e2e/faults/fault_vfs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status_macros.h"

namespace accel::testing {
namespace {

using runtime::File;
using runtime::FileLock;
using runtime::FileStat;
using runtime::OpenMode;
using runtime::Vfs;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int NumberOf(const std::string& error) {
  static const std::map<std::string, int> kNumbers = {
      {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EROFS", EROFS},
      {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}, {"ENOMEM", ENOMEM}};
  const auto found = kNumbers.find(error);
  return found == kNumbers.end() ? EIO : found->second;
}

// What is not on the disk yet never comes there: the ioctl that ext4 and XFS
// share, without writing the journal (2).
void CutPower() {
  constexpr unsigned long kShutdown = 0x8004587d;  // _IOR('X', 125, uint32_t)
  uint32_t without_log = 2;
  const int mount = ::open(Variable("ACCEL_FAULT_MOUNT").c_str(), O_RDONLY);
  if (mount < 0 || ::ioctl(mount, kShutdown, &without_log) != 0) {
    std::perror("ACCEL_FAULT_MOUNT: cannot cut the power");
    std::abort();
  }
}

class Counter {
 public:
  explicit Counter(const FaultPlan& plan) : plan_(plan) {}
  ~Counter() {
    if (!plan_.count_file.empty()) {
      std::ofstream(plan_.count_file, std::ios::app) << count_ << "\n";
    }
  }

  // `half`: writes half of what the operation would.
  template <typename Half>
  absl::Status Count(const std::string& path, const char* operation,
                     Half half) {
    if (path.find(plan_.path_part) == std::string::npos) {
      return absl::OkStatus();
    }
    if (!plan_.now_file.empty()) {
      return FailNow(path, operation);
    }
    const std::lock_guard lock(mutex_);
    ++count_;
    absl::string_view error = plan_.what;
    const bool stays = absl::ConsumeSuffix(&error, "+");
    if (plan_.what.empty() || count_ < plan_.at ||
        (count_ > plan_.at && !stays)) {
      return absl::OkStatus();
    }
    if (error == "short") {
      half();
    }
    if (error == "cut") {
      CutPower();
    }
    if (error == "short" || error == "kill" || error == "cut") {
      ::kill(::getpid(), SIGKILL);
    }
    return Error(path, operation, std::string(error));
  }
  absl::Status Count(const std::string& path, const char* operation) {
    return Count(path, operation, [] {});
  }

 private:
  static absl::Status Error(const std::string& path, const char* operation,
                            const std::string& error) {
    return absl::UnavailableError(
        absl::StrCat("cannot ", operation, " '", path,
                     "': ", std::strerror(NumberOf(error))));
  }

  std::string Now() const {
    std::string what;
    std::ifstream(plan_.now_file) >> what;
    return what;
  }

  // As the file says at this moment.
  absl::Status FailNow(const std::string& path, const char* operation) const {
    constexpr std::chrono::milliseconds kSlow(30);
    std::string what = Now();
    for (; what == "hang"; what = Now()) {
      std::this_thread::sleep_for(kSlow);
    }
    if (what == "slow") {
      std::this_thread::sleep_for(kSlow);
      return absl::OkStatus();
    }
    return what.empty() ? absl::OkStatus() : Error(path, operation, what);
  }

  const FaultPlan plan_;
  std::mutex mutex_;
  int64_t count_ = 0;
};

class FaultFile final : public File {
 public:
  FaultFile(std::unique_ptr<File> base, Counter& counter)
      : base_(std::move(base)), counter_(counter) {}

  const std::string& path() const override { return base_->path(); }
  absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) override {
    RETURN_IF_ERROR(counter_.Count(path(), "read"));
    return base_->Read(dst);
  }
  absl::StatusOr<size_t> PRead(uint64_t offset,
                               absl::Span<std::byte> dst) override {
    RETURN_IF_ERROR(counter_.Count(path(), "read"));
    return base_->PRead(offset, dst);
  }
  absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) override {
    RETURN_IF_ERROR(counter_.Count(path(), "write", [&] {
      base_->Write(src.first(src.size() / 2)).status().IgnoreError();
    }));
    return base_->Write(src);
  }
  absl::StatusOr<size_t> PWrite(uint64_t offset,
                                absl::Span<const std::byte> src) override {
    RETURN_IF_ERROR(counter_.Count(path(), "write", [&] {
      base_->PWrite(offset, src.first(src.size() / 2)).status().IgnoreError();
    }));
    return base_->PWrite(offset, src);
  }
  absl::Status Truncate(uint64_t size) override {
    RETURN_IF_ERROR(counter_.Count(path(), "truncate"));
    return base_->Truncate(size);
  }
  absl::Status Sync() override {
    RETURN_IF_ERROR(counter_.Count(path(), "sync"));
    return base_->Sync();
  }
  absl::StatusOr<FileStat> Stat() override {
    RETURN_IF_ERROR(counter_.Count(path(), "stat"));
    return base_->Stat();
  }
  absl::Status TakePermissionsOf(const std::string& other) override {
    RETURN_IF_ERROR(counter_.Count(path(), "change mode of"));
    return base_->TakePermissionsOf(other);
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(counter_.Count(path(), "close"));
    return base_->Close();
  }

 private:
  std::unique_ptr<File> base_;
  Counter& counter_;
};

class FaultVfs final : public Vfs {
 public:
  FaultVfs(const FaultPlan& plan, std::unique_ptr<Vfs> base)
      : base_(std::move(base)), counter_(plan) {}

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path,
                                             OpenMode mode) override {
    RETURN_IF_ERROR(counter_.Count(path, "open"));
    return Wrap(base_->Open(path, mode));
  }
  absl::StatusOr<std::unique_ptr<File>> OpenStream(
      const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "open"));
    return Wrap(base_->OpenStream(path));
  }
  absl::Status CheckWritable(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "access"));
    return base_->CheckWritable(path);
  }
  absl::StatusOr<std::string> ReadLink(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "read the link"));
    return base_->ReadLink(path);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    RETURN_IF_ERROR(counter_.Count(from, "rename"));
    return base_->Rename(from, to);
  }
  absl::Status Remove(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "remove"));
    return base_->Remove(path);
  }
  absl::Status SyncDirectory(const std::string& directory) override {
    RETURN_IF_ERROR(counter_.Count(directory, "sync directory"));
    return base_->SyncDirectory(directory);
  }
  absl::StatusOr<FileStat> Stat(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "stat"));
    return base_->Stat(path);
  }
  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "find the free space of"));
    return base_->FreeBytes(path);
  }
  absl::Status MakeDirectory(const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "make directory"));
    return base_->MakeDirectory(path);
  }
  absl::StatusOr<std::vector<std::string>> List(
      const std::string& directory) override {
    RETURN_IF_ERROR(counter_.Count(directory, "list"));
    return base_->List(directory);
  }
  absl::StatusOr<std::unique_ptr<FileLock>> TryLock(
      const std::string& path) override {
    RETURN_IF_ERROR(counter_.Count(path, "lock"));
    return base_->TryLock(path);
  }

 private:
  absl::StatusOr<std::unique_ptr<File>> Wrap(
      absl::StatusOr<std::unique_ptr<File>> file) {
    RETURN_IF_ERROR(file.status());
    return std::make_unique<FaultFile>(*std::move(file), counter_);
  }

  std::unique_ptr<Vfs> base_;
  Counter counter_;
};

}  // namespace

FaultPlan FaultPlan::FromEnvironment() {
  FaultPlan plan;
  plan.path_part = Variable("ACCEL_FAULT_PATH");
  plan.count_file = Variable("ACCEL_FAULT_COUNT");
  plan.now_file = Variable("ACCEL_FAULT_NOW");
  const std::string rank = Variable("ACCEL_FAULT_RANK");
  const std::pair<std::string, std::string> fault =
      absl::StrSplit(Variable("ACCEL_FAULT"), absl::MaxSplits('@', 1));
  if (rank.empty() || rank == Variable("RANK")) {
    plan.what = fault.first;
    static_cast<void>(absl::SimpleAtoi(fault.second, &plan.at));
  } else {
    plan.count_file.clear();
  }
  return plan;
}

std::unique_ptr<Vfs> MakeFaultVfs(const FaultPlan& plan,
                                  std::unique_ptr<Vfs> base) {
  return std::make_unique<FaultVfs>(plan, std::move(base));
}

}  // namespace accel::testing
