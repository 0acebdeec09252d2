// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU as a device: which plans it takes, and how it refuses the others.
#include "runtime/device/cpu/cpu_device.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/sizes/size_expr.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::CpuDevice;
using runtime::CpuDeviceOptions;
using runtime::MemoryLayout;
using runtime::Plan;
using runtime::RankBinding;
using ::testing::HasSubstr;

CpuDeviceOptions OldMachine() {
  CpuDeviceOptions options;
  options.threads = 1;
  options.describe_cpu = [] {
    return runtime::CpuDescription{"Old CPU", {"sse2", "avx"}};
  };
  return options;
}

class CpuDeviceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Plan> Open(const SamplePlan& plan) {
    EXPECT_OK(WriteSamplePlan(*vfs_, plan, dir_.File("plan")));
    auto opened = Plan::Open(*vfs_, dir_.File("plan"));
    EXPECT_OK(opened);
    return *std::move(opened);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
};

TEST_F(CpuDeviceTest, TakesTheFirstVariantThatTheCpuCanRun) {
  SamplePlan sample = MakeSamplePlan();
  *sample.manifest.add_variants() = sample.manifest.variants(0);
  sample.manifest.mutable_variants(0)->set_name("x86-64-v4");
  sample.manifest.mutable_variants(0)->add_features("avx512f");
  for (planpb::Kernel& kernel : *sample.manifest.mutable_kernels()) {
    *kernel.add_entries() = kernel.entries(0);
  }
  const auto plan = Open(sample);
  EXPECT_THAT(CpuDevice::Create(*vfs_, OldMachine())
                  .value()
                  ->ChooseVariant(plan->view()),
              IsOkAndHolds(1));
  CpuDeviceOptions options = OldMachine();
  options.describe_cpu = [] {
    return runtime::CpuDescription{"New CPU", {"sse2", "avx512f"}};
  };
  EXPECT_THAT(
      CpuDevice::Create(*vfs_, options).value()->ChooseVariant(plan->view()),
      IsOkAndHolds(0));
}

TEST_F(CpuDeviceTest, APlanForAnotherCpuIsRefusedWithWhatIsMissing) {
  SamplePlan sample = MakeSamplePlan();
  *sample.manifest.add_variants() = sample.manifest.variants(0);
  sample.manifest.mutable_variants(0)->set_name("x86-64-v4");
  sample.manifest.mutable_variants(0)->add_features("avx512f");
  sample.manifest.mutable_variants(0)->add_features("avx512bw");
  sample.manifest.mutable_variants(1)->set_name("sm_90");
  sample.manifest.mutable_variants(1)->set_device(planpb::DEVICE_CUDA);
  for (planpb::Kernel& kernel : *sample.manifest.mutable_kernels()) {
    *kernel.add_entries() = kernel.entries(0);
    kernel.mutable_entries(1)->set_threads(128);
  }
  const auto plan = Open(sample);
  EXPECT_THAT(
      CpuDevice::Create(*vfs_, OldMachine())
          .value()
          ->ChooseVariant(plan->view()),
      StatusIs(absl::StatusCode::kUnimplemented,
               "the plan has no code for this CPU (Old CPU): 'x86-64-v4' needs "
               "avx512f, avx512bw; 'sm_90' is not code for a CPU; run it on a "
               "machine that has what it needs, or compile the model again: "
               "accelc MODEL.onnx --target=cpu"));
}

TEST_F(CpuDeviceTest, AVariantThatCallsALibraryIsRefusedByName) {
  SamplePlan sample = MakeSamplePlan();
  sample.manifest.mutable_variants(0)->set_name("with-library");
  planpb::KernelEntry& entry =
      *sample.manifest.mutable_kernels(0)->mutable_entries(0);
  entry.clear_size();
  entry.set_tiles(1);
  entry.set_grain(1);
  entry.mutable_call()->set_library("matrices");
  entry.mutable_call()->set_function("multiply");
  const auto plan = Open(sample);
  EXPECT_THAT(
      CpuDevice::Create(*vfs_, OldMachine())
          .value()
          ->ChooseVariant(plan->view()),
      StatusIs(absl::StatusCode::kUnimplemented,
               "the plan has no code for this CPU (Old CPU): 'with-library' "
               "calls multiply of library matrices for kernel 'residual', "
               "which no CPU executes; run it on a machine that has what it "
               "needs, or compile the model again: accelc MODEL.onnx "
               "--target=cpu"));
}

TEST_F(CpuDeviceTest, APlanThatDoesNotFitIsRefusedBeforeAnythingIsAllocated) {
  const auto plan = Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const MemoryLayout layout,
                       MemoryLayout::Create(plan->view(), RankBinding()));
  CpuDeviceOptions options = OldMachine();
  options.available_memory = [](runtime::Vfs&) {
    return runtime::AvailableMemory{1000, "the limit of cgroup /small"};
  };
  const auto device = CpuDevice::Create(*vfs_, options).value();
  EXPECT_THAT(
      device->Allocate(plan->view(), layout),
      StatusIs(absl::StatusCode::kResourceExhausted,
               "not enough memory: the plan needs 1.5 KiB (parameters 128 B, "
               "gradients 64 B, io 512 B, constants 64 B, "
               "scalars 512 B, transient 256 B), 1000 B are available by the "
               "limit of cgroup "
               "/small; compile with a smaller microbatch (accelc --dim "
               "batch=N) or free memory"));
}

TEST_F(CpuDeviceTest, MemoryIsZeroedAlignedAndAddressable) {
  const auto plan = Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const MemoryLayout layout,
                       MemoryLayout::Create(plan->view(), RankBinding()));
  const auto device = CpuDevice::Create(*vfs_, OldMachine()).value();
  ASSERT_OK_AND_ASSIGN(const auto allocated,
                       device->Allocate(plan->view(), layout));
  const auto memory = static_cast<runtime::CpuMemory*>(allocated.get());
  for (int i = 0; i < plan->manifest().buffers_size(); ++i) {
    const auto range = layout.RangeOf(static_cast<uint32_t>(i), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->At(range)) % 64, 0u);
    std::vector<std::byte> bytes(range.size(), std::byte{1});
    ASSERT_OK(memory->Read(range, absl::MakeSpan(bytes)));
    EXPECT_THAT(bytes, ::testing::Each(std::byte{0}));
  }
  // Only now: transient buffers share bytes.
  for (int i = 0; i < plan->manifest().buffers_size(); ++i) {
    const auto range = layout.RangeOf(static_cast<uint32_t>(i), 0);
    std::vector<std::byte> bytes(range.size());
    bytes[0] = std::byte{7};
    ASSERT_OK(memory->Write(range, bytes));
    EXPECT_EQ(*memory->At(range), std::byte{7});
  }
}

TEST_F(CpuDeviceTest, CodeIsThatOfTheKernelsInTheChosenVariant) {
  const auto plan = Open(MakeSamplePlan());
  const auto device = CpuDevice::Create(*vfs_, OldMachine()).value();
  ASSERT_OK_AND_ASSIGN(const auto code, device->LoadCode(*plan));
  EXPECT_EQ(static_cast<const runtime::CpuCode&>(*code).kernels(), 6u);
  EXPECT_EQ(code->variant(), "x86-64");
}

TEST_F(CpuDeviceTest, CodeIsNeverWritableAndExecutable) {
  const auto plan = Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto image,
                       runtime::CodeImage::Load(plan->content(), kCode));
  const auto address = reinterpret_cast<uintptr_t>(image.At(0));
  std::ifstream maps("/proc/self/maps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    std::string rights;
    char dash = 0;
    std::istringstream fields(line);
    ASSERT_TRUE(fields >> std::hex >> begin >> dash >> end >> rights);
    if (begin <= address && address < end) {
      found = true;
      EXPECT_EQ(rights, "r-xp");
    }
  }
  EXPECT_TRUE(found);
}

TEST(CpuFeaturesTest, TheHostHasWhatEveryX86Has) {
  const auto cpu = runtime::DescribeHostCpu();
  EXPECT_FALSE(cpu.brand.empty());
  EXPECT_TRUE(cpu.Has("sse2"));
  EXPECT_TRUE(cpu.Has("64bit"));
  EXPECT_FALSE(cpu.Has("telepathy"));
  // The compiler's own view of this machine.
  EXPECT_EQ(cpu.Has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(cpu.Has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(cpu.Has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(cpu.Has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(cpu.Has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
}

}  // namespace
}  // namespace accel::testing
