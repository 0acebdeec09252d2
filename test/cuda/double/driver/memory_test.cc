// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of devices and of the host: what may be freed, copied and read, and
// what is reported and breaks the context otherwise.
#include <cstring>
#include <numeric>
#include <tuple>

#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

class MemoryTest : public DriverTest {
 protected:
  // Everything returns the error of the mistake, whatever is called.
  void ExpectBroken(Result error) {
    size_t free = 0;
    size_t total = 0;
    StreamHandle stream = nullptr;
    DevicePointer pointer = 0;
    EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), error);
    EXPECT_EQ(cu.cuStreamCreate(&stream, 0), error);
    EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, 4), error);
    EXPECT_EQ(cu.cuMemFree_v2(1), error);
    EXPECT_EQ(cu.cuEventQuery(nullptr), error);
  }
};

TEST_F(MemoryTest, Allocations) {
  Open({{"MEMORY", "1000"}});
  size_t free = 0;
  size_t total = 0;
  const DevicePointer x = NewMemory(600);
  EXPECT_EQ(x % 256, 0u);
  EXPECT_EQ(cu.cuMemGetInfo_v2(&free, &total), kSuccess);
  EXPECT_EQ(free, 400u);
  EXPECT_EQ(total, 1000u);
  DevicePointer y = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&y, 401), kErrorOutOfMemory);
  EXPECT_EQ(cu.cuMemAlloc_v2(&y, 0), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemAlloc_v2(nullptr, 4), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemAlloc_v2(&y, 400), kSuccess);
  EXPECT_EQ(cu.cuMemFree_v2(y + 1), kErrorInvalidValue);
  EXPECT_THAT(ReportText(), HasSubstr("is inside an allocation"));
  EXPECT_EQ(cu.cuMemFree_v2(y), kSuccess);
  EXPECT_EQ(cu.cuMemFree_v2(y), kErrorInvalidValue);
  EXPECT_THAT(ReportText(), HasSubstr("is in no allocation"));
  EXPECT_EQ(cu.cuMemFree_v2(0), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemAlloc_v2(&y, 400), kSuccess);
}

TEST_F(MemoryTest, PageableCopies) {
  Open();
  const DevicePointer x = NewMemory(16);
  const StreamHandle stream = NewStream();
  std::vector<uint32_t> numbers = {1, 2, 3, 4};
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, numbers.data(), 16, stream), kSuccess);
  // The call has staged the bytes.
  numbers.assign(4, 9);
  std::vector<uint32_t> read(4);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(read.data(), x, 16, stream), kSuccess);
  EXPECT_EQ(read, (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST_F(MemoryTest, PinnedCopiesAreReadAndWrittenInTheirTurn) {
  Open();
  const DevicePointer x = NewMemory(16);
  const StreamHandle stream = NewStream();
  auto* from = NewPinned(4);
  auto* to = NewPinned(4);
  std::iota(from, from + 4, 1);
  std::memset(to, 0, 16);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, from, 16, stream), kSuccess);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(to, x, 16, stream), kSuccess);
  EXPECT_EQ(to[0], 0u);
  from[0] = 7;  // too early, which the double shows
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(std::vector<uint32_t>(to, to + 4),
            (std::vector<uint32_t>{7, 2, 3, 4}));
}

TEST_F(MemoryTest, MemsetsAndCopiesOnTheDevice) {
  Open();
  const DevicePointer x = NewNumbers(4, 0x01020304);
  const DevicePointer y = NewMemory(16);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemsetD8Async(x + 1, 0xaa, 2, stream), kSuccess);
  EXPECT_EQ(cu.cuMemsetD16Async(x + 4, 0xbbcc, 2, stream), kSuccess);
  EXPECT_EQ(cu.cuMemsetD16Async(x + 1, 0, 1, stream), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemsetD32Async(x + 2, 0, 1, stream), kErrorInvalidValue);
  EXPECT_EQ(cu.cuStreamWriteValue32_v2(stream, x + 12, 5, 0), kSuccess);
  EXPECT_EQ(cu.cuStreamWriteValue32_v2(stream, x + 13, 5, 0),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(y, x, 16, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Read(y, 4),
            (std::vector<uint32_t>{0x01aaaa04, 0xbbccbbcc, 0x01020304, 5}));
}

TEST_F(MemoryTest, MemsetsOfRows) {
  Open();
  const DevicePointer x = NewNumbers(12, 1);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemsetD2D32Async(x + 4, 16, 7, 2, 3, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Read(x, 12),
            (std::vector<uint32_t>{1, 7, 7, 1, 1, 7, 7, 1, 1, 7, 7, 1}));
  // Rows that follow each other, the last of which ends the allocation.
  EXPECT_EQ(cu.cuMemsetD2D32Async(x + 16, 16, 8, 4, 2, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Read(x + 16, 8), std::vector<uint32_t>(8, 8));
  // Nothing to write, wherever it is.
  EXPECT_EQ(cu.cuMemsetD2D32Async(0, 16, 8, 0, 2, stream), kSuccess);
  EXPECT_EQ(cu.cuMemsetD2D32Async(0, 16, 8, 2, 0, stream), kSuccess);
  EXPECT_EQ(cu.cuMemsetD2D32Async(x, 16, 8, 2, 2, nullptr),
            kErrorInvalidHandle);
  const size_t kTooMany = SIZE_MAX / 8;
  for (const auto& [offset, pitch, width, height] :
       {std::tuple<size_t, size_t, size_t, size_t>{2, 16, 2, 2},
        {0, 18, 2, 2},
        {0, 4, 2, 2},
        {0, 0, 1, 1},
        {0, 16, SIZE_MAX / 2, 1},
        {0, 16, 2, kTooMany}}) {
    EXPECT_EQ(
        cu.cuMemsetD2D32Async(x + offset, pitch, 7, width, height, stream),
        kErrorInvalidValue);
  }
  EXPECT_EQ(ReportText(), "");
  EXPECT_EQ(cu.cuMemsetD2D32Async(x + 4, 16, 7, 4, 3, stream),
            kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("cuMemsetD2D32Async: out of range"));
}

TEST_F(MemoryTest, MemsetsOfRowsGiveOnlyTheseValues) {
  Open();
  const DevicePointer x = NewMemory(32);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemsetD2D32Async(x, 16, 7, 3, 2, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Read(x + 16, 3), std::vector<uint32_t>(3, 7));
  EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(NewMemory(16), x, 16, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("uninitialised"));
}

TEST_F(MemoryTest, MappedHostMemory) {
  Open();
  const StreamHandle stream = NewStream();
  auto* plain = NewPinned(4);
  auto* mapped = NewPinned(4, kHostAllocDeviceMap);
  DevicePointer device = 0;
  EXPECT_EQ(cu.cuMemHostGetDevicePointer_v2(&device, plain, 0),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemHostGetDevicePointer_v2(&device, mapped, 1),
            kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemHostGetDevicePointer_v2(&device, mapped, 0), kSuccess);
  std::memset(mapped, 0, 16);
  EXPECT_EQ(cu.cuStreamWriteValue32_v2(stream, device, 5, 0), kSuccess);
  EXPECT_EQ(cu.cuMemsetD32Async(device + 4, 6, 1, stream), kSuccess);
  EXPECT_EQ(Add(stream, device, 4, 1), kSuccess);
  EXPECT_EQ(mapped[0], 0u);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(std::vector<uint32_t>(mapped, mapped + 4),
            (std::vector<uint32_t>{6, 7, 1, 1}));
  EXPECT_EQ(cu.cuMemFreeHost(mapped + 1), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemFreeHost(mapped), kSuccess);
  EXPECT_EQ(cu.cuMemFreeHost(mapped), kErrorInvalidValue);
  EXPECT_EQ(cu.cuStreamWriteValue32_v2(stream, device, 5, 0),
            kErrorIllegalAddress);
}

TEST_F(MemoryTest, FreeWaitsForTheDevice) {
  Open();
  const DevicePointer x = NewMemory(16);
  const DevicePointer y = NewMemory(16);
  const StreamHandle stream = NewStream();
  auto* to = NewPinned(4);
  EXPECT_EQ(Fill(stream, x, 4, 3), kSuccess);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(to, x, 16, stream), kSuccess);
  EXPECT_EQ(cu.cuMemFree_v2(y), kSuccess);
  EXPECT_EQ(to[3], 3u);
}

TEST_F(MemoryTest, UninitialisedCopyToHost) {
  Open();
  const DevicePointer x = NewMemory(16);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemsetD32Async(x, 0, 3, stream), kSuccess);
  uint32_t to[4] = {};
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(to, x, 12, stream), kSuccess);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(to, x + 4, 12, stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(),
              HasSubstr("copy to host of 12 bytes on stream 1 of GPU 0: "
                        "uninitialised: it reads bytes [0x"));
  EXPECT_THAT(ReportText(),
              HasSubstr("at offset 4 of allocation 1 of 16 bytes, "
                        "and nobody has written the byte at "
                        "offset 12"));
  ExpectBroken(kErrorLaunchFailed);
}

TEST_F(MemoryTest, UninitialisedReadByKernel) {
  Open();
  const DevicePointer x = NewMemory(16);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(Fill(stream, x, 3, 0), kSuccess);
  EXPECT_EQ(Add(stream, x, 3, 1), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Add(stream, x, 4, 1), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("kernel add on stream 1 of GPU 0: "));
  EXPECT_THAT(ReportText(), HasSubstr("uninitialised byte: byte 12 of "
                                      "'allocation 1'"));
  ExpectBroken(kErrorLaunchFailed);
}

TEST_F(MemoryTest, OutOfRangeCopy) {
  Open();
  const DevicePointer x = NewNumbers(4);
  EXPECT_EQ(cu.cuMemsetD8Async(x + 8, 0, 9, NewStream()), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("cuMemsetD8Async: out of range: it "
                                      "writes bytes [0x"));
  EXPECT_THAT(ReportText(), HasSubstr("which leave allocation 1 of 16 bytes at "
                                      "offset 8"));
  ExpectBroken(kErrorIllegalAddress);
}

TEST_F(MemoryTest, OutOfRangeOnTheHost) {
  Open();
  const DevicePointer x = NewNumbers(4);
  auto* from = NewPinned(3);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, from, 16, NewStream()),
            kErrorIllegalAddress);
  EXPECT_THAT(ReportText(),
              HasSubstr("16 bytes leave pinned allocation 1 of 12 bytes"));
}

TEST_F(MemoryTest, OutOfRangeKernel) {
  Open();
  const DevicePointer x = NewNumbers(4);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(Fill(stream, x, 5, 0), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(), HasSubstr("is out of range"));
  ExpectBroken(kErrorIllegalAddress);
}

TEST_F(MemoryTest, MisalignedKernel) {
  Open();
  const DevicePointer x = NewNumbers(4);
  const StreamHandle stream = NewStream();
  DevicePointer odd = x + 2;
  EXPECT_EQ(Launch(NewFunction("poke"), stream, {&odd}, 1), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorMisalignedAddress);
  EXPECT_THAT(ReportText(), HasSubstr("misaligned access"));
  ExpectBroken(kErrorMisalignedAddress);
}

TEST_F(MemoryTest, WrongKindsOfPointers) {
  Open();
  const DevicePointer x = NewNumbers(4);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(nullptr, x, 4, stream), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, nullptr, 4, stream), kErrorInvalidValue);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, reinterpret_cast<void*>(x), 4, stream),
            kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("one to the memory of GPU 0"));
}

TEST_F(MemoryTest, OverlappingCopy) {
  Open();
  const DevicePointer x = NewNumbers(4);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(x + 4, x, 8, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("overlap"));
}

TEST_F(MemoryTest, TheHostWritesBesidePinnedMemory) {
  Open();
  auto* x = NewPinned(4);
  x[4] = 0;
  EXPECT_EQ(cu.cuMemFreeHost(x), kErrorIllegalAddress);
  EXPECT_THAT(ReportText(),
              HasSubstr("wrote beside pinned allocation 1 of 16 bytes"));
}

}  // namespace
}  // namespace accel::cuda_double
