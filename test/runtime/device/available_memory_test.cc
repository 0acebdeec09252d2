// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least of several limits, read from a file system made for the test.
#include "runtime/device/available_memory.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

// Shows files of a folder under other names; everything else does not exist.
class FakeProcVfs final : public runtime::Vfs {
 public:
  void Add(const std::string& path, const std::string& content) {
    files_[path] = dir_.Write("file" + std::to_string(files_.size()), content);
  }

  absl::StatusOr<std::unique_ptr<runtime::File>> Open(
      const std::string& path, runtime::OpenMode mode) override {
    const auto found = files_.find(path);
    if (found == files_.end()) {
      return absl::NotFoundError(path);
    }
    return base_->Open(found->second, mode);
  }
  absl::StatusOr<std::unique_ptr<runtime::File>> OpenStream(
      const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::Status CheckWritable(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::string> ReadLink(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::Status Rename(const std::string&, const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::Status Remove(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::Status SyncDirectory(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<runtime::FileStat> Stat(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<uint64_t> FreeBytes(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::Status MakeDirectory(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::unique_ptr<runtime::FileLock>> TryLock(
      const std::string&) override {
    return absl::UnimplementedError("");
  }

 private:
  TempDir dir_;
  std::unique_ptr<runtime::Vfs> base_ = runtime::MakePosixVfs();
  std::map<std::string, std::string> files_;
};

TEST(AvailableMemoryTest, WithoutFilesNothingLimits) {
  FakeProcVfs vfs;
  EXPECT_EQ(runtime::ReadAvailableMemory(vfs).bytes, UINT64_MAX);
}

TEST(AvailableMemoryTest, TheMachineLimits) {
  FakeProcVfs vfs;
  vfs.Add("/proc/meminfo",
          "MemTotal:       24000 kB\nMemAvailable:    1000 kB\n");
  const auto available = runtime::ReadAvailableMemory(vfs);
  EXPECT_EQ(available.bytes, 1024000u);
  EXPECT_EQ(available.source, "MemAvailable of /proc/meminfo");
}

TEST(AvailableMemoryTest, ProcessesThatBeginTogetherShareTheMachine) {
  FakeProcVfs vfs;
  EXPECT_EQ(runtime::ReadShareOfMemory(vfs, 4).bytes, UINT64_MAX);
  vfs.Add("/proc/meminfo",
          "MemTotal:       24000 kB\nMemAvailable:    1000 kB\n");
  const auto available = runtime::ReadShareOfMemory(vfs, 4);
  EXPECT_EQ(available.bytes, 256000u);
  EXPECT_EQ(available.source,
            "MemAvailable of /proc/meminfo, a share of 4 ranks");
}

TEST(AvailableMemoryTest, ACgroupAboveLimitsAndItsCacheDoesNotCount) {
  FakeProcVfs vfs;
  vfs.Add("/proc/meminfo", "MemAvailable:    1000 kB\n");
  vfs.Add("/proc/self/cgroup", "0::/outer/inner\n");
  vfs.Add("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  vfs.Add("/sys/fs/cgroup/outer/inner/memory.current", "300\n");
  vfs.Add("/sys/fs/cgroup/outer/memory.max", "1000\n");
  vfs.Add("/sys/fs/cgroup/outer/memory.current", "700\n");
  vfs.Add("/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 200\n");
  const auto available = runtime::ReadAvailableMemory(vfs);
  EXPECT_EQ(available.bytes, 500u);
  EXPECT_EQ(available.source, "the limit of cgroup /outer");
}

TEST(AvailableMemoryTest, CgroupsOfVersionOneLimit) {
  FakeProcVfs vfs;
  vfs.Add("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
  vfs.Add("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "900\n");
  vfs.Add("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(runtime::ReadAvailableMemory(vfs).bytes, 0u);
}

TEST(AvailableMemoryTest, ThisMachineHasSome) {
  const auto vfs = runtime::MakePosixVfs();
  const auto available = runtime::ReadAvailableMemory(*vfs);
  EXPECT_GT(available.bytes, uint64_t{1} << 20);
  EXPECT_FALSE(available.source.empty());
}

}  // namespace
}  // namespace accel::testing
