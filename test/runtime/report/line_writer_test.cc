// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has lines to write never waits for the disk: lines come late, or their
// loss is told, and the wait for the end has its patience.
#include "runtime/report/line_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/base/deadline.h"
#include "runtime/io/posix_file.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a bad disk does, until it is mended. Outlives the files.
struct Disk {
  // Fails each write with this, after `room` bytes.
  void Break(const absl::Status& how, size_t bytes) {
    monitor.Update([&] {
      error = how;
      room = bytes;
    });
  }
  void Freeze() {
    monitor.Update([&] { frozen = true; });
  }
  void Mend() {
    monitor.Update([&] {
      error = absl::OkStatus();
      room = SIZE_MAX;
      frozen = false;
    });
  }
  // Of one write of `bytes`.
  absl::StatusOr<size_t> Take(size_t bytes) {
    EXPECT_OK(WaitUntil(Deadline::After(seconds(60)), "the disk", monitor,
                        [&] { return !frozen; }));
    absl::StatusOr<size_t> taken = 0;
    monitor.Update([&] {
      ++writes;
      taken = std::min(bytes, room);
      room -= room == SIZE_MAX ? 0 : *taken;
      if (*taken == 0) {
        taken = error;
      }
    });
    return taken;
  }
  void AwaitWrites(int count) {
    ASSERT_OK(WaitUntil(Deadline::After(seconds(60)), "writes", monitor,
                        [&] { return writes >= count; }));
  }

  Monitor monitor;
  absl::Status error;
  size_t room = SIZE_MAX;
  bool frozen = false;
  int writes = 0;
};

class DiskFile final : public File {
 public:
  DiskFile(std::unique_ptr<File> base, std::shared_ptr<Disk> disk)
      : base_(std::move(base)), disk_(std::move(disk)) {}

  const std::string& path() const override { return base_->path(); }
  absl::StatusOr<size_t> Read(absl::Span<std::byte> dst) override {
    return base_->Read(dst);
  }
  absl::StatusOr<size_t> PRead(uint64_t offset,
                               absl::Span<std::byte> dst) override {
    return base_->PRead(offset, dst);
  }
  absl::StatusOr<size_t> Write(absl::Span<const std::byte> src) override {
    const auto taken = disk_->Take(src.size());
    return taken.ok() ? base_->Write(src.first(*taken)) : taken;
  }
  absl::StatusOr<size_t> PWrite(uint64_t offset,
                                absl::Span<const std::byte> src) override {
    return base_->PWrite(offset, src);
  }
  absl::Status Truncate(uint64_t size) override {
    return base_->Truncate(size);
  }
  absl::Status Sync() override { return base_->Sync(); }
  absl::StatusOr<FileStat> Stat() override { return base_->Stat(); }
  absl::Status TakePermissionsOf(const std::string& path) override {
    return base_->TakePermissionsOf(path);
  }
  absl::Status Close() override { return base_->Close(); }

 private:
  std::unique_ptr<File> base_;
  std::shared_ptr<Disk> disk_;
};

class LineWriterTest : public ::testing::Test {
 protected:
  LineWriterTest() {
    options_.what = "'lines'";
    options_.durable = true;
    options_.longest_pause = milliseconds(100);
    options_.on_trouble = [this](const absl::Status& status) {
      const std::lock_guard<std::mutex> lock(mutex_);
      told_.push_back(std::string(status.message()));
    };
  }

  std::unique_ptr<LineWriter> Start() {
    auto writer = LineWriter::Start(options_);
    auto file = vfs_->Open(dir_.File("lines"), OpenMode::kAppend);
    EXPECT_OK(writer);
    EXPECT_OK(file);
    (*writer)->Open(std::make_unique<DiskFile>(*std::move(file), disk_));
    return *std::move(writer);
  }
  std::vector<std::string> Told() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::shared_ptr<Disk> disk_ = std::make_shared<Disk>();
  LineWriterOptions options_;
  std::mutex mutex_;
  std::vector<std::string> told_;  // guarded by mutex_
};

TEST_F(LineWriterTest, WritesInOrderEachTextAtOnce) {
  const auto writer = Start();
  for (int i = 0; i < 1000; ++i) {
    writer->Append(absl::StrCat(i, "\n"));
  }
  ASSERT_OK(writer->Close(seconds(30)));
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&expected, i, "\n");
  }
  EXPECT_EQ(dir_.Read("lines"), expected);
  EXPECT_EQ(disk_->writes, 1000);
  EXPECT_THAT(Told(), ElementsAre());
}

// Without the retries the lines would be lost, without the offset written
// twice.
TEST_F(LineWriterTest, AFullDiskThatGetsRoomAgainLosesNothing) {
  const auto writer = Start();
  disk_->Break(absl::ResourceExhaustedError("No space left on device"), 3);
  writer->Append("first\n");
  writer->Append("second\n");
  disk_->AwaitWrites(4);
  EXPECT_EQ(dir_.Read("lines"), "fir");
  EXPECT_THAT(Told(), ElementsAre("No space left on device"));
  disk_->Mend();
  ASSERT_OK(writer->Close(seconds(30)));
  EXPECT_EQ(dir_.Read("lines"), "first\nsecond\n");
}

TEST_F(LineWriterTest, AFullDiskIsToldAtTheEndWithTheNumberOfLines) {
  const auto writer = Start();
  writer->Append("written\n");
  ASSERT_OK(writer->Sync(seconds(30)));
  disk_->Break(absl::ResourceExhaustedError("No space left on device"), 3);
  writer->Append("first\n");
  writer->Append("second\nthird\n");
  EXPECT_THAT(writer->Close(seconds(30)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "'lines': 3 lines are lost: No space left on device"));
  // No reader sees the half of a line.
  EXPECT_EQ(dir_.Read("lines"), "written\n");
}

TEST_F(LineWriterTest, AFrozenDiskStopsNobodyAndTheEndHasItsPatience) {
  options_.silence = milliseconds(50);
  const auto writer = Start();
  disk_->Freeze();
  const auto start = Deadline::Clock::now();
  writer->Append("first\n");
  while (Told().empty() && Deadline::Clock::now() - start < seconds(30)) {
    writer->Append("more\n");
    Monitor pause;
    WaitUntil(Deadline::After(milliseconds(10)), "", pause, [] {
      return false;
    }).IgnoreError();
  }
  EXPECT_THAT(Told(),
              ElementsAre("writing to 'lines' has not ended for 50 ms"));
  EXPECT_THAT(writer->Sync(milliseconds(100)),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 100 ms for 'lines'"));
  const auto closing = Deadline::Clock::now();
  EXPECT_THAT(writer->Close(milliseconds(200)),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       HasSubstr("lines are lost: waited 200 ms for 'lines'")));
  EXPECT_LT(Deadline::Clock::now() - closing, seconds(5));
  // Its thread ends, and touches nothing of ours.
  const int before = disk_->writes;
  disk_->Mend();
  disk_->AwaitWrites(before + 1);
}

TEST_F(LineWriterTest, ASlowDiskIsWaitedForAsLongAsItGetsOn) {
  const auto writer = Start();
  disk_->Freeze();
  writer->Append("first\n");
  writer->Append("second\n");
  EXPECT_THAT(writer->Flush(milliseconds(100)),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 100 ms for 'lines'"));
  disk_->Mend();
  ASSERT_OK(writer->Close(seconds(30)));
  EXPECT_EQ(dir_.Read("lines"), "first\nsecond\n");
}

TEST_F(LineWriterTest, WhatDoesNotFitIsLostAndCounted) {
  options_.most_bytes = 20;
  const auto writer = Start();
  disk_->Freeze();
  for (int i = 0; i < 5; ++i) {
    writer->Append("line 123\n");
  }
  disk_->Mend();
  EXPECT_THAT(
      writer->Close(seconds(30)),
      StatusIs(absl::StatusCode::kResourceExhausted,
               "'lines': 3 lines are lost: more than 20 B wait for it"));
  EXPECT_EQ(dir_.Read("lines"), "line 123\nline 123\n");
}

TEST_F(LineWriterTest, WhatTheCheckRefusesIsTriedAgain) {
  std::atomic<bool> gone = true;
  options_.check = [&] {
    return gone ? absl::NotFoundError("it is gone") : absl::OkStatus();
  };
  const auto writer = Start();
  writer->Append("line\n");
  EXPECT_THAT(writer->Sync(seconds(30)),
              StatusIs(absl::StatusCode::kNotFound, "it is gone"));
  EXPECT_EQ(dir_.Read("lines"), "");
  gone = false;
  ASSERT_OK(writer->Sync(seconds(30)));
  EXPECT_EQ(dir_.Read("lines"), "line\n");
  // Also where nothing is left to write.
  gone = true;
  EXPECT_THAT(writer->Close(seconds(30)),
              StatusIs(absl::StatusCode::kNotFound, "'lines': it is gone"));
}

class PipeTest : public LineWriterTest {
 protected:
  PipeTest() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    // Also for a thread that outlives its test.
    signal(SIGPIPE, SIG_IGN);
    options_.durable = false;
    options_.what = "standard output";
  }
  ~PipeTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  std::unique_ptr<LineWriter> StartPipe() {
    auto writer = LineWriter::Start(options_);
    auto stream = OpenPosixStream(absl::StrCat("/proc/self/fd/", ends_[1]));
    EXPECT_OK(writer);
    EXPECT_OK(stream);
    (*writer)->Open(*std::move(stream));
    return *std::move(writer);
  }

  int ends_[2] = {-1, -1};
};

TEST_F(PipeTest, AFullPipeStopsNobody) {
  const auto writer = StartPipe();
  // More than a pipe holds.
  for (int i = 0; i < 100; ++i) {
    writer->Append(std::string(9999, 'x') + "\n");
  }
  EXPECT_THAT(writer->Close(milliseconds(200)),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       HasSubstr("waited 200 ms for standard output")));
  // So that the thread ends.
  close(ends_[0]);
  ends_[0] = -1;
}

TEST_F(PipeTest, AReaderThatWentAwayIsNotWaitedFor) {
  const auto writer = StartPipe();
  writer->Append("read\n");
  ASSERT_OK(writer->Flush(seconds(30)));
  close(ends_[0]);
  ends_[0] = -1;
  writer->Append("lost\n");
  writer->Append("lost\n");
  const absl::Status closed = writer->Close(seconds(30));
  EXPECT_THAT(closed.message(),
              HasSubstr("standard output: 2 lines are lost: cannot write"));
  EXPECT_THAT(closed.message(), HasSubstr("Broken pipe"));
  EXPECT_THAT(Told(), ElementsAre());
}

}  // namespace
}  // namespace accel::runtime
