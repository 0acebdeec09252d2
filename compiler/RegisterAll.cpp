// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of every dialect, every pass and every phase.
#include "compiler/RegisterAll.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"
#include "passes/Accumulate/AccumulatePipeline.h"
#include "passes/Accumulate/Passes.h"
#include "passes/Differentiate/DifferentiatePipeline.h"
#include "passes/Differentiate/Passes.h"
#include "passes/Fuse/FusePipeline.h"
#include "passes/Fuse/Passes.h"
#include "passes/Import/ImportPipeline.h"
#include "passes/Import/Passes.h"
#include "passes/Lower/Cpu/Passes.h"
#include "passes/Lower/Cuda/Passes.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/TargetLowering.h"
#include "passes/Memory/MemoryPipeline.h"
#include "passes/Memory/Passes.h"
#include "passes/Partition/PartitionPipeline.h"
#include "passes/Partition/Passes.h"
#include "passes/Precision/Passes.h"
#include "passes/Precision/PrecisionPipeline.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/SchedulePipeline.h"
#include "passes/Shard/Passes.h"
#include "passes/Shard/ShardPipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

using mlir::PassPipelineRegistration;

namespace {

/// A pipeline is made before its module is read, so that it has to be told what
/// accelc reads from the module's plan.variant.
struct LowerPipelineOptions : mlir::PassPipelineOptions<LowerPipelineOptions> {
  Option<std::string> variant{
      *this, "variant",
      llvm::cl::desc("The variant to write code for; none: the first")};
  Option<std::string> device{*this, "device",
                             llvm::cl::desc("Its device: cpu or cuda"),
                             llvm::cl::init("cpu")};
  Option<int64_t> lanes{
      *this, "lanes",
      llvm::cl::desc("The lanes of the variant, as its plan.variant says"),
      llvm::cl::init(64)};
};

} // namespace

void accel::registerAllAccelDialects(mlir::DialectRegistry &registry) {
  registry.insert<AccelDialect, dist::DistDialect, plan::PlanDialect,
                  mlir::func::FuncDialect>();
  // What the code of kernels is written in.
  registry.insert<mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
}

void accel::registerAllAccelPasses() {
  registerImportPasses();
  registerDifferentiatePasses();
  registerPrecisionPasses();
  registerAccumulatePasses();
  registerShardPasses();
  registerPartitionPasses();
  registerFusePasses();
  registerSchedulePasses();
  registerMemoryPasses();
  registerLowerPasses();
  registerLowerCpuPasses();
  registerLowerCudaPasses();
  registerImportPipeline();
  registerDifferentiatePipeline();
  registerPrecisionPipeline();
  registerAccumulatePipeline();
  registerShardPipeline();
  PassPipelineRegistration<>("accel-partition", "phase Partition",
                             buildPartitionPipeline);
  PassPipelineRegistration<>(
      "accel-fuse", "phase Fuse",
      [](mlir::OpPassManager &pm) { buildFusePipeline(pm); });
  PassPipelineRegistration<>(
      "accel-schedule", "phase Schedule",
      [](mlir::OpPassManager &pm) { buildSchedulePipeline(pm); });
  PassPipelineRegistration<>(
      "accel-memory", "phase Memory",
      [](mlir::OpPassManager &pm) { buildMemoryPipeline(pm); });
  PassPipelineRegistration<LowerPipelineOptions>(
      "accel-lower", "phase Lower for variants of one device",
      [](mlir::OpPassManager &manager, const LowerPipelineOptions &options) {
        auto device = plan::symbolizeDeviceKind(options.device);
        if (!device) {
          llvm::reportFatalUsageError(llvm::Twine(
              "accel-lower: expected device=cpu or device=cuda, got device=" +
              options.device));
        }
        getLowering(*device).addPasses(manager,
                                       {options.variant, options.lanes});
      });
}
