// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation is asked to do: one value, built once in a program's
// `main`, with one part per phase that has a choice.
#ifndef ACCEL_COMPILER_OPTIONS_H
#define ACCEL_COMPILER_OPTIONS_H

#include "compiler/DiagnosticsStyle.h"
#include "compiler/Phases.h"
#include "frontends/onnx/ImportOptions.h"
#include "passes/Accumulate/AccumulatePipeline.h"
#include "passes/Differentiate/DifferentiatePipeline.h"
#include "passes/Import/ImportPipeline.h"
#include "passes/Lower/CodeTools.h"
#include "passes/Precision/PrecisionPipeline.h"
#include "passes/Shard/ShardPipeline.h"

#include <utility>
#include <vector>

namespace accel {

/// Code of kernels for people: of the first variant for GPUs, or of the first
/// that is code of one GPU.
enum class EmittedCode { None, Ptx, Sass };

/// An input and the .npy file that it is bound to.
struct InputBinding {
  std::string name, file;
};

struct CompilerOptions {
  std::string model; ///< the ONNX file
  /// The program answers, and does not train.
  bool infers = false;
  std::vector<InputBinding> bindings;
  /// Of the state dict that the model was exported with; empty: none.
  std::string parameterFile;
  std::string output; ///< the plan; with `compileTo` or `emits` text
  /// Stop after this phase and print the module; to standard output if there is
  /// no `output`.
  std::optional<Phase> compileTo;
  /// Where to write what the output was made of, as a rule for Make and Ninja;
  /// empty: nowhere.
  std::string dependencyFile;
  /// Files besides the model and its data that decide what is made: those of
  /// options, and the compiler itself.
  std::vector<std::string> otherInputs;
  /// Print this code, to `output` or standard output; no plan.
  EmittedCode emits = EmittedCode::None;
  std::string dumpPhases;     ///< folder for NN-phase.mlir; empty: none
  std::vector<Phase> remarks; ///< phases whose decisions are printed
  bool estimate = false;      ///< print what training takes, no plan
  bool json = false;          ///< the estimate as JSON
  bool timeReport = false;    ///< print where the time went
  bool jsonTimeReport = false;
  bool check = false; ///< list what keeps the model from training, no plan
  DiagnosticsStyle diagnostics; ///< errors, warnings, remarks, the check
  unsigned threads = 0; ///< of the compiler; 0: as many as there are cores

  /// The code variants of the plan, which is planned for the least capable.
  std::string target = "cpu";
  CodeTools tools;         ///< that code is made with
  int64_t maxRanks = 1024; ///< that a run of the plan may have
  /// Bytes that a rank may need; 0: no limit. Does not shape the plan.
  uint64_t memoryLimit = 0;
  /// The plan refers to the model's files of external data instead of copying
  /// the weights that they hold.
  bool hasExternalWeights = false;
  /// Of adapters that the model begins with, as PEFT writes it; empty: none.
  std::string adapterFolder;
  onnx::ImportOptions frontend;
  ImportOptions import;
  DifferentiateOptions differentiate;
  PrecisionOptions precision;
  AccumulateOptions accumulate;
  ShardOptions shard;

  /// Makes these the options of a program that answers, and does not train.
  void makeInference() {
    infers = frontend.infers = import.infers = true;
    frontend.dropout.kind = onnx::DropoutPolicy::Kind::Off;
    frontend.batchNorm = onnx::BatchNormPolicy::Frozen;
    import.dropout = "off";
    maxRanks = 1;
  }

  /// The options that shape the plan, as written on the command line: the plan
  /// keeps them for reports.
  std::vector<std::pair<std::string, std::string>> written;
};

} // namespace accel

#endif
