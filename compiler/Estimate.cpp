// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's own manifest, evaluated by the loader's own arithmetic.
#include "compiler/Estimate.h"

#include "compiler/DecidedPlan.h"
#include "compiler/Place.h"
#include "compiler/PlanManifest.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Memory/MemoryPeak.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/memory/staging.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/state/state_tensors.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace accel {
namespace {

constexpr EstimatedClass kEstimatedClasses[] = {
    {planpb::CLASS_PARAMETERS, "parameters", "the weights"},
    {planpb::CLASS_GRADIENTS, "gradients",
     "sums over the microbatches, and on the way there"},
    {planpb::CLASS_OPTIMIZER, "optimizer", "moments or momentum, and averages"},
    {planpb::CLASS_GATHERED, "gathered",
     "parameters in use; the ranks of a host share them"},
    {planpb::CLASS_ACTIVATIONS, "activations",
     "everything else that lives within a step"},
    {planpb::CLASS_IO, "io", "inputs and targets of two microbatches"},
    {planpb::CLASS_CONSTANTS, "constants", "tensors of the model itself"},
    {planpb::CLASS_SCALARS, "scalars", "learning rate, counters, sums"},
    {planpb::CLASS_WORKSPACE, "workspace",
     "packed matrices and tiles of each thread"},
    {planpb::CLASS_STAGING, "staging",
     "what collectives have on its way between ranks"},
    {planpb::CLASS_PROGRAM, "program",
     "accel-run, its libraries, instructions and code"},
};

/// What AssignOffsets has said of `module`; nothing if it has no instruction.
ArenaPeak readPeak(ModuleOp module, StringRef model) {
  ArenaPeak peak;
  auto said = module->getAttrOfType<plan::PeakAttr>(plan::kPeakAttr);
  auto function = said ? module.lookupSymbol<func::FuncOp>(said.getFunction())
                       : func::FuncOp();
  Operation *op =
      function ? getNumbered(function, said.getInstruction()) : nullptr;
  if (!op) {
    return peak;
  }
  peak.function = function.getSymName().str();
  auto launch = dyn_cast<plan::LaunchOp>(op);
  peak.instruction = said.getInstruction();
  peak.name =
      launch ? launch.getKernel().str() : op->getName().stripDialect().str();
  peak.place = describePlace(op->getLoc(), model);
  peak.liveBytes = said.getBytes();
  return peak;
}

/// What accel-run takes besides its plan: code, libraries, heap and stacks that
/// the kernel counts as resident. Measured on Debian 12; planned_peak.py holds
/// estimates with it to what ranks really take, within 8 MB.
constexpr uint64_t kProcessBytes = uint64_t{16} << 20;

/// A run maps the code of one variant.
uint64_t getCodeBytes(const LoweredCode &code) {
  uint64_t largest = 0;
  for (const VariantCode &variant : code.variants) {
    largest = std::max<uint64_t>(largest, variant.image.code.size());
  }
  return largest;
}

} // namespace

llvm::ArrayRef<EstimatedClass> getEstimatedClasses() {
  return kEstimatedClasses;
}

uint64_t RankEstimate::getTotalBytes() const {
  uint64_t total = 0;
  for (uint64_t each : bytes) {
    total += each;
  }
  return total;
}

LogicalResult TrainingEstimate::read(const LoweredCode &code,
                                     const onnx::ImportedModel &model,
                                     const PlanWriterOptions &options) {
  if (failed(verifyDecided(module))) {
    return failure();
  }
  PlanManifest plan(module, code, model, options);
  // Where in the file they lie decides nothing that is estimated.
  for (const std::string &key : model.weights.getKeys()) {
    plan.setWeightSource(key, WeightSource());
  }
  programBytes = kProcessBytes + getCodeBytes(code);
  for (func::FuncOp function : getProgram(module)) {
    FailureOr<std::string> records = plan.addFunction(function, /*section=*/0);
    if (failed(records)) {
      return failure();
    }
    programBytes += records->size();
    const auto &functions = plan.get().functions();
    absl::StatusOr<std::vector<planpb::Instruction>> decoded =
        runtime::DecodeInstructions(
            *records, functions.Get(functions.size() - 1).instructions());
    if (!decoded.ok()) {
      return module.emitError(std::string(decoded.status().message()));
    }
    llvm::copy_if(*decoded, std::back_inserter(collectives),
                  [](const auto &each) { return each.has_collective(); });
    if (getRole(function) == FunctionRole::Step) {
      step = *std::move(decoded);
    }
  }
  manifest = plan.finish();
  peak = readPeak(module, options.modelFile);
  return success();
}

FailureOr<TrainingEstimate> TrainingEstimate::create(
    ModuleOp module, const LoweredCode &code, const onnx::ImportedModel &model,
    const PlanWriterOptions &options, dist::ShardingMode mode) {
  TrainingEstimate estimate(module, mode);
  if (failed(estimate.read(code, model, options))) {
    return failure();
  }
  FailureOr<RankEstimate> one = estimate.measure(1, 1);
  FailureOr<RankEstimate> two = estimate.measure(1, 2);
  if (failed(one) || failed(two)) {
    return failure();
  }
  estimate.bytesPerThread = two->getTotalBytes() - one->getTotalBytes();
  return estimate;
}

FailureOr<RankEstimate> TrainingEstimate::measure(uint64_t ranks,
                                                  uint64_t threads) const {
  auto binding = runtime::RankBinding::OfRun(manifest, 0, ranks, threads);
  auto placement = runtime::MemoryPlacement::Create(manifest, binding);
  if (!placement.ok()) {
    return module->emitError(std::string(placement.status().message()));
  }
  RankEstimate rank;
  rank.ranks = ranks;
  rank.bytes = placement->BytesByClass(manifest);
  rank.bytes[planpb::CLASS_PROGRAM - 1] += programBytes;
  runtime::StagingNeed staging(binding);
  if (absl::Status status = staging.Add(manifest, collectives); !status.ok()) {
    return module->emitError(std::string(status.message()));
  }
  rank.bytes[planpb::CLASS_STAGING - 1] = staging.BytesOfRank();
  rank.iterations = runtime::IterationsOf(manifest, ranks, getGlobalBatch());
  auto checkpoint = runtime::CheckpointBytes(manifest, binding, ranks);
  if (!checkpoint.ok()) {
    return module->emitError(std::string(checkpoint.status().message()));
  }
  rank.checkpointBytes = *checkpoint;
  return rank;
}

FailureOr<RankEstimate> TrainingEstimate::estimateRank(uint64_t ranks) const {
  FailureOr<RankEstimate> rank = measure(ranks, 1);
  if (failed(rank)) {
    return failure();
  }
  auto binding = runtime::RankBinding::OfRun(manifest, 0, ranks, 1);
  auto traffic = runtime::StepTraffic(step, binding, rank->iterations);
  if (!traffic.ok()) {
    return module->emitError(std::string(traffic.status().message()));
  }
  rank->traffic = *traffic;
  return rank;
}

uint64_t TrainingEstimate::getParameterBytes() const {
  uint64_t bytes = 0;
  for (const planpb::Bucket &bucket : manifest.buckets()) {
    for (const planpb::Segment &segment : bucket.segments()) {
      bytes +=
          segment.elements() * runtime::ElementBits(segment.stored_dtype()) / 8;
    }
  }
  return bytes;
}

std::vector<uint64_t> getShownRankCounts(uint64_t maxRanks) {
  std::vector<uint64_t> counts;
  for (uint64_t ranks = 1; ranks < maxRanks; ranks *= 2) {
    counts.push_back(ranks);
  }
  counts.push_back(maxRanks);
  return counts;
}

std::string formatBytes(uint64_t bytes) {
  constexpr llvm::StringLiteral units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return formatv("{0} bytes", bytes).str();
  }
  double value = static_cast<double>(bytes) / 1024.0;
  size_t unit = 0;
  for (; value >= 1024.0 && unit + 1 < std::size(units); ++unit) {
    value /= 1024.0;
  }
  return formatv("{0:F1} {1}", value, units[unit]).str();
}

} // namespace accel
