// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait for descriptors ends when one is readable, when something else is
// ready, and at its deadline.
#include "runtime/base/descriptor_wait.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Owner() { return "a byte"; }

class DescriptorWaitTest : public ::testing::Test {
 public:
  DescriptorWaitTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
  }
  ~DescriptorWaitTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }

 protected:
  bool Read() {
    char byte = 0;
    return read(ends_[0], &byte, 1) == 1;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(DescriptorWaitTest, EndsWhenADescriptorIsReadable) {
  std::thread writer([this] {
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(write(ends_[1], "x", 1), 1);
  });
  EXPECT_OK(WaitUntil(Deadline::After(seconds(30)), Owner, {-1, ends_[0]},
                      [this] { return Read(); }));
  writer.join();
}

TEST_F(DescriptorWaitTest, AsksAlsoForWhatNoDescriptorShows) {
  int asked = 0;
  EXPECT_OK(WaitUntil(Deadline::After(seconds(30)), Owner, {ends_[0]},
                      [&] { return ++asked == 3; }));
}

TEST_F(DescriptorWaitTest, NamesItsOwnerAtTheDeadline) {
  EXPECT_THAT(
      WaitUntil(Deadline::After(milliseconds(30)), Owner, {ends_[0]},
                [] { return false; }),
      StatusIs(absl::StatusCode::kDeadlineExceeded, "waited 30 ms for a byte"));
}

TEST_F(DescriptorWaitTest, ReadyAtTheDeadlineIsReady) {
  EXPECT_OK(WaitUntil(Deadline::After(milliseconds(0)), Owner, {},
                      [] { return true; }));
}

}  // namespace
}  // namespace accel::runtime
