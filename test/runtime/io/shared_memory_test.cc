// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two mappings of one memfd are the same memory; it grows and never shrinks.
#include "runtime/io/shared_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;

TEST(SharedMemoryTest, MappingsOfOneDescriptorAreTheSameMemory) {
  ASSERT_OK_AND_ASSIGN(const FileDescriptor memory,
                       CreateSharedMemory("test", 8192));
  ASSERT_OK_AND_ASSIGN(const FileDescriptor copy, memory.Duplicate());
  ASSERT_OK_AND_ASSIGN(const SharedMapping one,
                       SharedMapping::Map(memory, 0, 8192));
  ASSERT_OK_AND_ASSIGN(const SharedMapping two,
                       SharedMapping::Map(copy, 4096, 4096));
  EXPECT_EQ(two.bytes()[1], std::byte{0});
  one.bytes()[4097] = std::byte{7};
  EXPECT_EQ(two.bytes()[1], std::byte{7});
}

TEST(SharedMemoryTest, GrowsAndNeverShrinks) {
  ASSERT_OK_AND_ASSIGN(const FileDescriptor memory,
                       CreateSharedMemory("test", 4096));
  ASSERT_OK(GrowSharedMemory(memory, 8192));
  EXPECT_THAT(SharedMemorySize(memory), IsOkAndHolds(8192u));
  EXPECT_THAT(GrowSharedMemory(memory, 4096),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       "cannot make shared memory 4 KiB large: Operation not "
                       "permitted"));
}

TEST(SharedMemoryTest, IsNotInheritedByPrograms) {
  ASSERT_OK_AND_ASSIGN(const FileDescriptor memory,
                       CreateSharedMemory("test", 4096));
  ASSERT_OK_AND_ASSIGN(const FileDescriptor copy, memory.Duplicate());
  EXPECT_EQ(fcntl(memory.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(fcntl(copy.get(), F_GETFD), FD_CLOEXEC);
}

TEST(SharedMemoryTest, OtherDescriptorsAreRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FileDescriptor read_end(ends[0]);
  const FileDescriptor write_end(ends[1]);
  EXPECT_THAT(SharedMemorySize(read_end),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("descriptor ", ends[0],
                                    " is no shared memory: Invalid argument")));
}

TEST(SharedMemoryTest, NothingIsMappedForZeroBytes) {
  ASSERT_OK_AND_ASSIGN(const SharedMapping mapping,
                       SharedMapping::Anonymous(0));
  EXPECT_TRUE(mapping.bytes().empty());
}

}  // namespace
}  // namespace accel::runtime
