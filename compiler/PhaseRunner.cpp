// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One phase after the other, and what stands between them.
#include "compiler/PhaseRunner.h"

#include "compiler/ErrorCatalogue.h"
#include "compiler/ErrorCodes.h"
#include "compiler/GlobalBatch.h"
#include "compiler/Pipeline.h"
#include "frontends/onnx/ErrorCodes.h"
#include "passes/ErrorCodes.h"

using namespace mlir;

namespace accel {

/// What an error is about that does not say it itself.
static std::optional<ErrorCode> defaultCodeOf(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return onnx::codes::InvalidNode;
  case Phase::Differentiate:
    return codes::NotTrainable;
  default:
    return std::nullopt;
  }
}

ExitCode PhaseRunner::run(ModuleOp module) {
  if (failed(remarks.enable())) {
    return ExitCode::Internal;
  }
  Phase last = options.compileTo.value_or(Phase::Memory);
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase > last) {
      break;
    }
    if (ExitCode code = runOne(module, info); code != ExitCode::Ok) {
      return code;
    }
  }
  return ExitCode::Ok;
}

ExitCode PhaseRunner::runOne(ModuleOp module, const PhaseInfo &info) {
  diagnostics.setDefaultCode(defaultCodeOf(info.phase));
  remarks.begin(info.phase);
  if (failed(runPhase(module, info.phase, options, times.begin(info.name)))) {
    return fail(info.phase);
  }
  if (info.phase == Phase::Differentiate && !options.infers) {
    if (ExitCode code = checkSamples(module); code != ExitCode::Ok) {
      return code;
    }
  }
  return dump(module, info.phase);
}

/// The module has its objective now, so that samples can be counted; and all
/// warnings are known that may be errors.
ExitCode PhaseRunner::checkSamples(ModuleOp module) {
  if (failed(checkGlobalBatch(module, options.accumulate.globalBatch))) {
    return ExitCode::CompileError;
  }
  if (std::optional<std::string> padding =
          describePadding(module, options.accumulate.globalBatch)) {
    diagnostics.printWarning(*padding, driver_codes::PaddedSteps);
  }
  return diagnostics.getErrorCount() > 0 ? ExitCode::CompileError
                                         : ExitCode::Ok;
}

ExitCode PhaseRunner::dump(ModuleOp module, Phase phase) {
  bool dumped = options.dumpPhases.empty() ||
                succeeded(dumpPhase(module, vfs, phase, options.dumpPhases));
  return dumped ? ExitCode::Ok : ExitCode::InputOutput;
}

/// Code goes beside the module; so what Lower makes of it is shown on a copy.
ExitCode PhaseRunner::dumpLower(ModuleOp module) {
  if (options.dumpPhases.empty()) {
    return ExitCode::Ok;
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runPhase(*copy, Phase::Lower, options))) {
    return fail(Phase::Lower);
  }
  return dump(*copy, Phase::Lower);
}

ExitCode PhaseRunner::lower(ModuleOp module, LoweredCode &code) {
  if (ExitCode dumped = dumpLower(module); dumped != ExitCode::Ok) {
    return dumped;
  }
  FailureOr<LoweredCode> lowered = lowerKernels(
      module, getVariants(module), times.begin("lower"), options.tools);
  if (failed(lowered)) {
    return fail(Phase::Lower);
  }
  code = std::move(*lowered);
  return ExitCode::Ok;
}

ExitCode PhaseRunner::checkLower(ModuleOp module) {
  LogicalResult checked =
      checkKernels(module, getVariants(module), times.begin("lower"));
  return succeeded(checked) ? ExitCode::Ok : fail(Phase::Lower);
}

ExitCode PhaseRunner::fail(Phase phase) {
  if (diagnostics.getErrorCount() > 0 && phase < Phase::Fuse) {
    return ExitCode::CompileError;
  }
  // A mistake of ours has no code.
  if (std::optional<ErrorCode> code = diagnostics.getFirstCode()) {
    return getErrorInfo(*code).exit;
  }
  diagnostics.printError(
      "internal error in phase " + getPhaseInfo(phase).name +
      ": this is a mistake of accelc; please report it with the module that "
      "--dump-phases=DIR writes before it");
  return ExitCode::Internal;
}

} // namespace accel
