// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code a GPU is given.
#include "runtime/device/cuda/variant_choice.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/plan.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::cuda::ChooseGpuVariant;
using runtime::cuda::GpuFacts;
using ::testing::HasSubstr;

struct Variant {
  std::string name;
  std::vector<std::string> features;
};

class VariantChoiceTest : public ::testing::Test {
 protected:
  // The choice of a plan with these variants for GPUs.
  absl::StatusOr<int> Choose(const std::vector<Variant>& variants,
                             const GpuFacts& gpu) {
    SamplePlan sample = MakeSamplePlan();
    const planpb::CodeVariant base = sample.manifest.variants(0);
    sample.manifest.clear_variants();
    for (const Variant& each : variants) {
      planpb::CodeVariant& variant = *sample.manifest.add_variants();
      variant = base;
      variant.set_name(each.name);
      variant.set_device(planpb::DEVICE_CUDA);
      variant.clear_features();
      for (const std::string& feature : each.features) {
        variant.add_features(feature);
      }
    }
    for (planpb::Kernel& kernel : *sample.manifest.mutable_kernels()) {
      planpb::KernelEntry entry = kernel.entries(0);
      entry.set_threads(128);
      kernel.clear_entries();
      for (size_t i = 0; i < variants.size(); ++i) {
        *kernel.add_entries() = entry;
      }
    }
    EXPECT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    ASSIGN_OR_RETURN(const auto plan,
                     runtime::Plan::Open(*vfs_, dir_.File("plan")));
    return ChooseGpuVariant(plan->view(), gpu);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
};

const std::vector<Variant> kAll = {{"sm_90", {"sm_90"}},
                                   {"sm_80", {"sm_80"}},
                                   {"compute_80", {"compute_80", "ptx71"}}};

TEST_F(VariantChoiceTest, CodeRunsOnItsFamilyAndPtxOnAllThatComeLater) {
  EXPECT_THAT(Choose(kAll, {"H100", 90, 13000}), IsOkAndHolds(0));
  EXPECT_THAT(Choose(kAll, {"A100", 80, 13000}), IsOkAndHolds(1));
  EXPECT_THAT(Choose(kAll, {"A10", 86, 13000}), IsOkAndHolds(1));
  EXPECT_THAT(Choose(kAll, {"B200", 100, 13000}), IsOkAndHolds(2));
}

TEST_F(VariantChoiceTest, WhatIsMissingIsSaidOfEachVariant) {
  EXPECT_THAT(
      Choose(kAll, {"V100", 70, 13000}),
      StatusIs(absl::StatusCode::kUnimplemented,
               "the plan has no code for this GPU (V100, sm_70): 'sm_90' is "
               "code for sm_90; 'sm_80' is code for sm_80; 'compute_80' is PTX "
               "for sm_80 and later; compile the model again with PTX, which "
               "all GPUs from sm_80 on execute: accelc MODEL.onnx "
               "--target=compute_80"));
}

TEST_F(VariantChoiceTest, ADriverMustKnowThePtx) {
  const std::vector<Variant> ptx = {{"compute_90", {"compute_90", "ptx80"}}};
  EXPECT_THAT(Choose(ptx, {"H100", 90, 12000}), IsOkAndHolds(0));
  EXPECT_THAT(
      Choose(ptx, {"H100", 90, 11080}),
      StatusIs(absl::StatusCode::kUnimplemented,
               HasSubstr("'compute_90' needs a driver for CUDA 12.0, which "
                         "knows ptx80, and this one is for 11.8")));
}

TEST_F(VariantChoiceTest, AFeatureThatNobodyKnowsIsRefused) {
  EXPECT_THAT(Choose({{"new", {"tensor-memory"}}}, {"B200", 100, 13000}),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("'new' needs tensor-memory, which is unknown "
                                 "here")));
}

}  // namespace
}  // namespace accel::testing
