// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the very buffers that the plan would list, so that the estimate and
// the plan cannot differ.
#include "compiler/Estimate.h"

#include "compiler/ArenaPeak.h"
#include "compiler/Diagnostics.h"
#include "compiler/PlanManifest.h"
#include "runtime/plan/size_expr.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using llvm::formatv;

namespace accel {
namespace {

/// Changes when a program that reads the JSON could misunderstand it.
constexpr int64_t kJsonVersion = 1;

struct ClassInfo {
  planpb::MemoryClass memoryClass;
  llvm::StringLiteral name, meaning;
};

constexpr ClassInfo kClasses[] = {
    {planpb::CLASS_PARAMETERS, "parameters", "the weights"},
    {planpb::CLASS_GRADIENTS, "gradients", "sums over the microbatches"},
    {planpb::CLASS_OPTIMIZER, "optimizer", "moments or momentum"},
    {planpb::CLASS_ACTIVATIONS, "activations",
     "the arena of everything that lives within a step"},
    {planpb::CLASS_IO, "io", "inputs and targets of two microbatches"},
    {planpb::CLASS_CONSTANTS, "constants", "tensors of the model itself"},
    {planpb::CLASS_SCALARS, "scalars", "learning rate, counters, sums"},
    {planpb::CLASS_SCRATCH, "scratch", "at most, for the matrix library"},
    {planpb::CLASS_PROGRAM, "program", "instructions and code"},
};

/// Bytes of a buffer with so many threads.
uint64_t getBytes(const planpb::Buffer &buffer, uint64_t threads) {
  runtime::RankBinding binding;
  binding.threads = threads;
  absl::StatusOr<uint64_t> bytes =
      runtime::EvaluateSize(buffer.bytes(), binding);
  return bytes.ok() ? *bytes * std::max<uint64_t>(1, buffer.copies()) : 0;
}

class Estimator {
public:
  Estimator() {
    for (const ClassInfo &info : kClasses) {
      estimate.classes.push_back({info.name, info.meaning});
    }
  }

  void add(planpb::MemoryClass memoryClass, uint64_t bytes,
           uint64_t perThread = 0) {
    for (auto [info, use] : llvm::zip_equal(kClasses, estimate.classes)) {
      if (info.memoryClass == memoryClass) {
        use.bytes += bytes;
        use.bytesPerThread += perThread;
      }
    }
  }

  /// Everything but the arena, which transient buffers share.
  void addBuffers(const planpb::Manifest &manifest) {
    for (const planpb::Buffer &buffer : manifest.buffers()) {
      if (buffer.region() != planpb::REGION_TRANSIENT) {
        uint64_t bytes = getBytes(buffer, 1);
        add(buffer.memory_class(), bytes, getBytes(buffer, 2) - bytes);
      }
    }
    for (const planpb::Arena &arena : manifest.arenas()) {
      add(planpb::CLASS_ACTIVATIONS, arena.bytes());
    }
  }

  /// A run maps the code of one variant.
  void addProgram(const LoweredCode &code, uint64_t instructionBytes) {
    uint64_t largest = 0;
    for (const VariantCode &variant : code.variants) {
      largest = std::max<uint64_t>(largest, variant.image.code.size());
    }
    add(planpb::CLASS_PROGRAM, instructionBytes + largest);
  }

  MemoryEstimate estimate;
};

/// The instruction at which most bytes of the function's buffers are in use.
ArenaPeak findPeak(func::FuncOp function, StringRef model) {
  ArenaPeak peak;
  peak.function = function.getSymName().str();
  std::optional<PeakInstruction> found = findPeakInstruction(function);
  if (!found) {
    return peak;
  }
  auto launch = dyn_cast<plan::LaunchOp>(found->op);
  peak.instruction = found->number;
  peak.name = launch ? launch.getKernel().str()
                     : found->op->getName().stripDialect().str();
  peak.place = describePlace(found->op->getLoc(), model);
  peak.liveBytes = found->liveBytes;
  return peak;
}

void printRow(llvm::raw_ostream &stream, StringRef name, uint64_t bytes,
              const llvm::Twine &meaning) {
  stream << llvm::left_justify(name, 12)
         << llvm::right_justify(formatv("{0:N}", bytes).str(), 20)
         << llvm::right_justify(formatBytes(bytes), 16) << "  " << meaning
         << "\n";
}

} // namespace

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

uint64_t MemoryEstimate::getTotalBytes() const {
  uint64_t total = 0;
  for (const MemoryUse &use : classes) {
    total += use.bytes;
  }
  return total;
}

uint64_t MemoryEstimate::getTotalBytesPerThread() const {
  uint64_t total = 0;
  for (const MemoryUse &use : classes) {
    total += use.bytesPerThread;
  }
  return total;
}

MemoryEstimate estimateMemory(ModuleOp module, const LoweredCode &code,
                              const onnx::ImportedModel &model,
                              const PlanWriterOptions &options) {
  PlanManifest manifest(module, code, model, options);
  Estimator estimator;
  uint64_t instructionBytes = 0;
  for (StringRef name : {"init", "step"}) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    instructionBytes += manifest.addFunction(function, /*section=*/0).size();
    ArenaPeak peak = findPeak(function, options.modelFile);
    if (peak.liveBytes >= estimator.estimate.peak.liveBytes) {
      estimator.estimate.peak = peak;
    }
  }
  estimator.addBuffers(manifest.finish());
  estimator.addProgram(code, instructionBytes);
  return estimator.estimate;
}

void printEstimate(const MemoryEstimate &estimate, llvm::raw_ostream &stream) {
  stream << llvm::left_justify("class", 12) << llvm::right_justify("bytes", 20)
         << "\n";
  for (const MemoryUse &use : estimate.classes) {
    printRow(stream, use.name, use.bytes,
             use.bytesPerThread == 0
                 ? llvm::Twine(use.meaning)
                 : use.meaning + "; " + formatBytes(use.bytesPerThread) +
                       " more for every further thread");
  }
  printRow(stream, "total", estimate.getTotalBytes(), "with one thread");
  const ArenaPeak &peak = estimate.peak;
  stream << "\nThe arena is fullest at instruction " << peak.instruction
         << " of " << peak.function << ", " << peak.name << ": "
         << formatv("{0:N}", peak.liveBytes) << " bytes live\n";
  if (!peak.place.empty()) {
    stream << "  at " << peak.place << "\n";
  }
}

void printEstimateAsJson(const MemoryEstimate &estimate,
                         llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", kJsonVersion);
    json.attributeObject("classes", [&] {
      for (const MemoryUse &use : estimate.classes) {
        json.attribute(use.name, use.bytes);
      }
    });
    json.attribute("total", estimate.getTotalBytes());
    json.attribute("per_thread", estimate.getTotalBytesPerThread());
    json.attributeObject("peak", [&] {
      json.attribute("function", estimate.peak.function);
      json.attribute("instruction", estimate.peak.instruction);
      json.attribute("name", estimate.peak.name);
      json.attribute("place", estimate.peak.place);
      json.attribute("live_bytes", estimate.peak.liveBytes);
    });
  });
  stream << "\n";
}

} // namespace accel
