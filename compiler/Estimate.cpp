// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the very buffers that the plan would list, so that the estimate and
// the plan cannot differ.
#include "compiler/Estimate.h"

#include "compiler/Diagnostics.h"
#include "compiler/PlanManifest.h"
#include "passes/Memory/MemoryProblem.h"
#include "runtime/plan/size_expr.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace accel {
namespace {

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
  SmallVector<plan::InstructionOpInterface> instructions;
  function.walk(
      [&](plan::InstructionOpInterface op) { instructions.push_back(op); });
  ArenaPeak peak;
  peak.function = function.getSymName().str();
  SmallVector<int64_t> change(instructions.size() + 2, 0);
  MemoryProblem problem = readMemory(function);
  for (const BufferLifetime &buffer : problem.buffers) {
    change[buffer.first] += buffer.bytes;
    change[buffer.last + 1] -= buffer.bytes;
  }
  int64_t live = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    live += change[i];
    if (live > static_cast<int64_t>(peak.liveBytes)) {
      peak.liveBytes = live;
      peak.instruction = i;
    }
  }
  if (!instructions.empty()) {
    Operation *op = instructions[peak.instruction];
    auto launch = dyn_cast<plan::LaunchOp>(op);
    peak.name =
        launch ? launch.getKernel().str() : op->getName().stripDialect().str();
    peak.place = describePlace(op->getLoc(), model);
  }
  return peak;
}

std::string formatBytes(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  constexpr double kMiB = 1024.0 * 1024.0;
  stream << llvm::format("%.1f MiB", static_cast<double>(bytes) / kMiB);
  return text;
}

/// Digits in groups of three.
std::string groupDigits(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) {
    digits.insert(i - 3, ",");
  }
  return digits;
}

void printRow(llvm::raw_ostream &stream, StringRef name, uint64_t bytes,
              const llvm::Twine &meaning) {
  stream << llvm::left_justify(name, 12)
         << llvm::right_justify(groupDigits(bytes), 20)
         << llvm::right_justify(formatBytes(bytes), 16) << "  " << meaning
         << "\n";
}

} // namespace

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
         << groupDigits(peak.liveBytes) << " bytes live\n";
  if (!peak.place.empty()) {
    stream << "  at " << peak.place << "\n";
  }
}

void printEstimateAsJson(const MemoryEstimate &estimate,
                         llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
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
