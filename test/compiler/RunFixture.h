// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test runs: a plan that it has compiled, in a folder of its own, on
// ranks that are threads of this process, with synthetic data.
#ifndef ACCEL_TEST_COMPILER_RUNFIXTURE_H
#define ACCEL_TEST_COMPILER_RUNFIXTURE_H

#include "compiler/Pipeline.h"
#include "compiler/PlanWriter.h"
#include "frontends/onnx/ImportOnnx.h"
#include "runtime/executor/parameters.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/schema/element_type.h"
#include "test/compiler/CompilerFixture.h"
#include "test/compiler/FaultyDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace accel::test {

/// A base of tests beside testing::TestWithParam.
class RunFixture : public CompilerFixture {
protected:
  static constexpr int64_t kBatch = 2;
  static constexpr int64_t kGlobalBatch = 8;

  using Edit = llvm::function_ref<void(Phase behind, mlir::ModuleOp program)>;

  /// Takes `model` through all phases up to and including Memory. `edit` may
  /// change the program behind each of them.
  void runPhases(
      onnx::ImportedModel &model, const CompilerOptions &options,
      Edit edit = [](Phase, mlir::ModuleOp) {}) {
    ASSERT_TRUE(model.module) << diagnostics;
    for (const PhaseInfo &info : getPhases()) {
      if (info.phase <= Phase::Memory) {
        ASSERT_TRUE(succeeded(runPhase(*model.module, info.phase, options)))
            << info.name.str() << ": " << diagnostics;
        edit(info.phase, *model.module);
      }
    }
  }

  /// Compiles the model of `options` and opens it as `plan`. `inspect`: gets
  /// the program as Memory leaves it.
  void openModel(
      const CompilerOptions &options,
      llvm::function_ref<void(mlir::ModuleOp)> inspect = [](mlir::ModuleOp) {
      }) {
    auto imported = onnx::importOnnx(options.model, options.frontend, context);
    ASSERT_TRUE(succeeded(imported)) << diagnostics;
    ASSERT_NO_FATAL_FAILURE(runPhases(*imported, options));
    inspect(*imported->module);
    openPlan(*imported, lower(*imported));
  }

  /// The code of the kernels of `model`, behind all phases.
  LoweredCode lower(const onnx::ImportedModel &model) {
    auto code = lowerKernels(*model.module, getVariants(*model.module));
    EXPECT_TRUE(succeeded(code)) << diagnostics;
    return succeeded(code) ? std::move(*code) : LoweredCode();
  }

  /// Writes `model` and its code to a file and opens that as `plan`.
  void openPlan(onnx::ImportedModel &model, const LoweredCode &code) {
    auto file = PlanFile::begin(context, *vfs, folder + "/plan", model.weights,
                                {WeightStorage::Plan}, /*onThread=*/false);
    ASSERT_TRUE(succeeded(file)) << diagnostics;
    ASSERT_TRUE(succeeded(
        writePlan(*model.module, code, model, PlanWriterOptions(), **file)))
        << diagnostics;
    auto opened = runtime::Plan::Open(*vfs, folder + "/plan");
    ASSERT_TRUE(opened.ok()) << opened.status();
    plan = std::move(*opened);
  }

  /// Starts `count` ranks anew, whose states are those of step 0.
  void openRanks(int count) {
    ranks.reset();
    runtime::DatasetOptions options;
    options.global_batch = kGlobalBatch;
    auto opened = runtime::Dataset::Open(
        *vfs, runtime::DataSignature(plan->manifest()), options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    data = std::move(*opened);
    ranks = makeRanks(count);
    ASSERT_TRUE(ranks);
  }

  std::unique_ptr<runtime::RankThreads> makeRanks(int count) {
    runtime::RankThreadsOptions options;
    options.ranks = count;
    options.executor.global_batch = kGlobalBatch;
    int next = 0;
    options.create_device = [&](runtime::Vfs &files,
                                const runtime::DeviceOptions &device)
        -> absl::StatusOr<std::unique_ptr<runtime::Device>> {
      auto made = runtime::CreateDevice(files, device);
      if (!made.ok()) {
        return made.status();
      }
      return std::make_unique<FaultyDevice>(std::move(*made), spoiling, next++);
    };
    auto made = runtime::RankThreads::Create(*vfs, *plan, *data, options);
    EXPECT_TRUE(made.ok()) << made.status();
    if (!made.ok() || !(*made)->Initialize().ok()) {
      return nullptr;
    }
    return std::move(*made);
  }

  /// Whether step `step` was finite.
  bool runStep(runtime::Executor &executor, int64_t step) {
    auto metrics = executor.RunStep(step);
    EXPECT_TRUE(metrics.ok()) << metrics.status();
    return !metrics.ok() || (*metrics)[*plan->view().FindMetric("finite")] == 1;
  }

  static std::string readTensor(const runtime::Executor &executor,
                                const runtime::SlotTensor &tensor) {
    std::string bytes(tensor.shard.elements() * tensor.width, '\0');
    absl::Status status = executor.ReadTensor(
        tensor, 0, tensor.shard.elements(),
        absl::MakeSpan(reinterpret_cast<std::byte *>(bytes.data()),
                       bytes.size()));
    EXPECT_TRUE(status.ok()) << status;
    return bytes;
  }

  /// The bytes of a slot of a segment, of all ranks' parts.
  std::string readSlot(const runtime::Executor &executor,
                       const planpb::Bucket &bucket,
                       const planpb::Segment &segment,
                       const planpb::Slot &slot) {
    uint64_t block = std::max<uint64_t>(1, slot.block());
    runtime::SlotTensor tensor;
    tensor.buffer = slot.buffer();
    tensor.width =
        runtime::ElementBits(plan->view().buffer(slot.buffer()).dtype()) / 8;
    tensor.shard.set_elements(segment.elements() / block);
    tensor.shard.set_granule(bucket.granule() / block);
    *tensor.shard.mutable_axes() = slot.sharded_over();
    return readTensor(executor, tensor);
  }

  /// The bytes of a free-standing state of f32, of rank 0.
  std::string readState(const runtime::Executor &executor,
                        const planpb::State &state) {
    const planpb::Buffer &buffer = plan->view().buffer(state.buffer());
    runtime::SlotTensor tensor;
    tensor.buffer = state.buffer();
    tensor.width = sizeof(float);
    tensor.shard.set_elements(buffer.bytes().alternatives(0).terms(0).factor() /
                              sizeof(float));
    tensor.shard.set_granule(1);
    return readTensor(executor, tensor);
  }

  using Numbers = std::vector<float>;

  static Numbers toNumbers(const std::string &bytes) {
    Numbers numbers(bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

  /// The numbers of the free-standing state `name`, of rank 0.
  Numbers readNumbers(const std::string &name) {
    return toNumbers(readState(*ranks, findState(name)));
  }

  const planpb::State &findState(const std::string &name) {
    for (const planpb::State &state : plan->manifest().states()) {
      if (state.name() == name) {
        return state;
      }
    }
    ADD_FAILURE() << "no state " << name;
    return planpb::State::default_instance();
  }

  void setScalar(runtime::Executor &executor, const std::string &name,
                 double value) {
    EXPECT_TRUE(
        runtime::SetScalar(executor, findState(name).buffer(), value).ok());
  }

  const runtime::FunctionView &getStep() {
    return *plan->view().FindFunction(planpb::FUNCTION_STEP);
  }

  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan;
  std::unique_ptr<runtime::Dataset> data;
  Spoiling spoiling;
  std::unique_ptr<runtime::RankThreads> ranks;
};

} // namespace accel::test

#endif
