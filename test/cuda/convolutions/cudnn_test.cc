// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of cuDNN, and its errors.
#include "runtime/device/cuda/cudnn.h"

#include <string>

#include "runtime/io/posix_vfs.h"
#include "test/cuda/convolutions/gpu_convolution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using runtime::cuda::Cudnn;
using runtime::cuda::DnnObject;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class CudnnTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto opened = ConvolutionGpu::Open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    gpu_ = *std::move(opened);
  }

  std::unique_ptr<ConvolutionGpu> gpu_;
};

TEST_F(CudnnTest, NamesItsVersion) {
  EXPECT_THAT(gpu_->library().Version(), MatchesRegex("9\\.[0-9]+\\.[0-9]+"));
}

TEST_F(CudnnTest, SaysHowToInstallWhatIsMissing) {
  const auto vfs = runtime::MakePosixVfs();
  const auto opened = Cudnn::Open(*vfs, {"/nowhere", ""}, gpu_->gpu());
  EXPECT_TRUE(absl::IsUnimplemented(opened.status()));
  const std::string message(opened.status().message());
  EXPECT_THAT(message, HasSubstr("cannot open libcudnn.so.9"));
  EXPECT_THAT(message, HasSubstr("the Python package nvidia-cudnn-cu13"));
  EXPECT_THAT(message, HasSubstr("accel-run --cuda-libs DIR"));
}

// What a library does not do is no fault of ours, everything else is one.
TEST_F(CudnnTest, TellsRefusalsFromErrors) {
  const Cudnn &library = gpu_->library();
  EXPECT_TRUE(library.Check(runtime::cuda::kDnnSuccess, "call").ok());
  EXPECT_TRUE(absl::IsUnimplemented(
      library.Check(runtime::cuda::kDnnNotSupported + 4, "call")));
  EXPECT_TRUE(absl::IsInternal(
      library.Check(runtime::cuda::kDnnExecutionFailed, "call")));
  EXPECT_TRUE(
      absl::IsInternal(library.Check(runtime::cuda::kDnnBadParam, "call")));
  EXPECT_TRUE(absl::IsResourceExhausted(
      library.Check(runtime::cuda::kDnnDeviceAllocationFailed, "call")));
  EXPECT_THAT(
      std::string(library.Check(runtime::cuda::kDnnBadParam, "call").message()),
      HasSubstr("call of cuDNN 9."));
}

TEST_F(CudnnTest, NamesTheCallThatFails) {
  const auto tensor =
      DnnObject::Create(gpu_->library(), runtime::cuda::kDnnTensor);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const auto status = tensor->Finalize();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cudnnBackendFinalize of cuDNN"));
}

} // namespace
} // namespace accel::testing
