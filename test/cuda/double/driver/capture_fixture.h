// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two streams and memory for captures.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_FIXTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_FIXTURE_H_

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {

class CaptureTest : public DriverTest {
 protected:
  void OpenWithSeed(int seed) {
    Close();
    Open({{"SEED", absl::StrCat(seed)}});
    first = NewStream();
    second = NewStream();
    x = NewNumbers(8);
    y = NewNumbers(8);
    // Loading a module is one of the calls that a capture forbids.
    for (const char* kernel : {"fill", "add", "copy"}) {
      NewFunction(kernel);
    }
  }
  void Begin(int mode = kCaptureModeRelaxed) {
    EXPECT_EQ(cu.cuStreamBeginCapture_v2(first, mode), kSuccess);
  }
  Result End() { return cu.cuStreamEndCapture(first, &graph); }
  // The capture is invalid until it ends, and the stream works again then.
  void ExpectInvalid() {
    EXPECT_EQ(Fill(first, x, 8, 1), kErrorStreamCaptureInvalidated);
    graph = reinterpret_cast<Graph>(1);
    EXPECT_EQ(End(), kErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(Fill(first, x, 8, 1), kSuccess);
    EXPECT_EQ(Wait(first), kSuccess);
    EXPECT_THAT(ReportText(), ::testing::HasSubstr("invalidates the capture"));
  }

  StreamHandle first = nullptr;
  StreamHandle second = nullptr;
  DevicePointer x = 0;
  DevicePointer y = 0;
  Graph graph = nullptr;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_FIXTURE_H_
