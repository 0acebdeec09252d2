// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accelc as plain values. Compiled with exceptions, which
// the option parser needs, so nothing of MLIR is in here.
#ifndef ACCEL_TOOLS_ACCELC_COMMANDLINE_H
#define ACCEL_TOOLS_ACCELC_COMMANDLINE_H

#include "dialects/Accel/IR/Fp8Recipe.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "passes/Lower/CodeTools.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace accel {

/// Defaults are those that --help shows.
struct CommandLine {
  std::string model;  ///< `-`: standard input
  std::string params; ///< a file of parameters; empty: none
  std::string output; ///< `-`: standard output
  std::string weights = "plan";

  bool inference = false;
  std::vector<std::string> bindings; ///< NAME=FILE

  std::vector<std::string> dimensions; ///< NAME=SIZE
  int64_t globalBatch = 32;
  int64_t maxRanks = 1024;
  bool fsdp = false;
  int64_t zero = 0; ///< 0: plain data parallelism
  std::string objective = "auto";
  std::string lossWeight = "targets";
  bool sparsePrediction = false;
  std::string init;
  std::string dropout = "model";
  std::string batchNorm = "microbatch";
  std::string eval = "on";
  /// train=REGEX or freeze=REGEX, in the order in which they were given.
  std::vector<std::string> trainingRules;
  std::string lora; ///< of adapters, or a folder; empty: none
  std::vector<std::string> paddingRows; ///< NAME=ROW or NAME=none

  bool bf16 = false; ///< otherwise f32, or
  bool fp16 = false; ///< or
  Fp8Options fp8;    ///< if it has a recipe
  bool tf32 = false; ///< products that stay f32 may read TF32
  std::string lossScale = "torch";
  /// exclude=REGEX or include=REGEX, in the order in which they were given.
  std::vector<std::string> precisionRules;
  std::string residualDtype; ///< empty: that of the precision

  std::string optimizer = kDefaultOptimizer.str();
  /// Those of the optimizer's own numbers that are given, by name.
  std::map<std::string, double> optimizerNumbers;
  double lr = 1e-3;
  double weightDecay = 0.01;
  double clipNorm = 0.0;
  std::string onNonFinite = "halt";
  std::vector<std::string> groups; ///< REGEX:lr=0.1x,decay=0
  double layerDecay = 1.0;
  std::string decay = "rank";
  double ema = 0.0; ///< 0: no averages

  std::string schedule = "constant";
  double minLr = 0.0;
  int64_t warmupSteps = 0;
  int64_t decaySteps = 0;
  int64_t scheduleSteps = 0;

  uint64_t memoryLimit = 0; ///< bytes; 0: none

  bool estimate = false;
  std::string timeReport; ///< text or json; empty: none
  bool json = false;
  bool check = false;
  bool listOps = false;
  std::string explain; ///< a code
  std::string diagnosticsFormat = "text";
  std::string color = "auto";
  bool warningsAsErrors = false;
  std::vector<std::string> ignoredWarnings; ///< codes
  bool dependencies = false;
  std::string dependencyFile;
  std::string compileTo;
  std::string emit; ///< ptx or sass; empty: a plan
  std::string dumpPhases;
  std::vector<std::string> remarks; ///< names of phases
  std::string target = "cpu";
  std::string cudaPath;
  unsigned ptxasTimeout = CodeTools().ptxasSeconds;
  unsigned threads = 0;
  bool quiet = false;

  /// The options given that shape the plan, in the order of --help.
  std::vector<std::pair<std::string, std::string>> written;
  /// The files that options came from.
  std::vector<std::string> optionFiles;
};

/// The values, or the exit code after help was printed to standard output or
/// complaints to standard error.
std::variant<CommandLine, int> parseCommandLine(int argc, char **argv);

} // namespace accel

#endif
