// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executor of the sample plan, or one like it, whose state tests save and
// restore.
#ifndef ACCEL_TEST_RUNTIME_CHECKPOINT_SAMPLE_STATE_H_
#define ACCEL_TEST_RUNTIME_CHECKPOINT_SAMPLE_STATE_H_

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/checkpoint/state_file.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/microbatch_reader.h"
#include "runtime/executor/step_driver.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {

class SampleState {
 public:
  explicit SampleState(const SamplePlan& sample = MakeSamplePlan()) {
    dir_.Write("x.npy", Npy("<f4", {2, kFeatures},
                            std::vector<float>(2 * kFeatures, 0.5f)));
    dir_.Write("t.npy", Npy("<f4", {2}, std::vector<float>{1, 2}));
    EXPECT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    plan_ = *runtime::Plan::Open(*vfs_, dir_.File("plan"));
    runtime::DatasetOptions data;
    data.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    dataset_ = *runtime::Dataset::Open(
        *vfs_, runtime::DataSignature(plan_->manifest()), data);
    runtime::DeviceOptions device;
    device.threads = 1;
    device_ = *runtime::CreateDevice(*vfs_, device);
    runtime::ExecutorOptions options;
    options.binding.threads = 1;
    executor_ = *runtime::StepDriver::Create(*vfs_, *plan_, *device_, *dataset_,
                                             options);
  }

  runtime::Vfs& vfs() { return *vfs_; }
  const TempDir& dir() const { return dir_; }
  const runtime::Plan& plan_file() const { return *plan_; }
  const runtime::PlanView& plan() const { return plan_->view(); }
  runtime::StepDriver& executor() { return *executor_; }

  std::vector<runtime::StateTensor> Tensors() const {
    return *runtime::ListStateTensors(plan().manifest());
  }
  // All of them, as one process writes them.
  absl::StatusOr<runtime::CheckpointFile> Write(const std::string& folder) {
    const auto tensors = Tensors();
    ASSIGN_OR_RETURN(const auto parts,
                     runtime::PartsToWrite(tensors, *executor_, {}));
    return runtime::WriteStateFile(*vfs_, folder, parts,
                                   runtime::ReaderOf(*executor_), {}, [] {});
  }
  std::vector<std::byte> Read(const runtime::StateTensor& tensor) const {
    std::vector<std::byte> bytes(tensor.elements * tensor.slot.width);
    EXPECT_OK(
        executor_->ReadHeld(tensor.slot, tensor.first, absl::MakeSpan(bytes)));
    return bytes;
  }

 private:
  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::Dataset> dataset_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::StepDriver> executor_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_CHECKPOINT_SAMPLE_STATE_H_
