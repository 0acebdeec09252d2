// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options of targets, and complaints about their use.
#include "tools/accelc/TargetOptions.h"

#include "passes/Target/TargetNames.h"
#include "tools/accelc/Validators.h"
#include "tools/command-line/value_checks.h"

#include "llvm/ADT/STLExtras.h"

namespace accel {

void addTargetOptions(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option(
         "--target", line.target,
         "Code variants of the plan, with commas between them: x86-64-v3 "
         "(AVX2), x86-64-v4 (AVX-512), x86-64-v4-bf16 (with products of bf16, "
         "taken where they are fast), cpu, which is all of these; for NVIDIA "
         "GPUs sm_80, sm_89, sm_90, sm_100, sm_120, code of that generation, "
         "which ptxas makes, or compute_ for sm_, PTX for that and later "
         "ones, which needs no ptxas. With GPUs the program is "
         "planned for them, and variants of CPUs beside them execute the same "
         "one (accel-run --device=cpu). One is chosen when the plan is loaded; "
         "all give the same bits, but for what libraries compute. The least "
         "capable decides how the program is planned")
      ->type_name("VARIANT,...")
      ->check(target())
      ->capture_default_str()
      ->group(group);
  app.add_option("--cuda-path", line.cudaPath,
                 "Look for ptxas here, in a CUDA toolkit or a folder of "
                 "NVIDIA's packages; default: CUDA_HOME, PATH, VIRTUAL_ENV")
      ->type_name("DIR")
      ->group(group);
  app.add_option(
         "--ptxas-timeout", line.ptxasTimeout,
         "Longest time of one run of ptxas, which takes seconds, unless "
         "the machine is busy or it hangs")
      ->type_name("SECONDS")
      ->check(tools::WholeNumber(1, 1000000))
      ->capture_default_str()
      ->group(group);
}

void addEmit(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--emit", line.emit,
                 "Print the code of kernels instead of writing a plan, to -o "
                 "or standard output: ptx, of the first variant for GPUs, or "
                 "sass, what nvdisasm shows of the first sm_")
      ->type_name("CODE")
      ->check(tools::OneOf({"ptx", "sass"}))
      ->group(group);
}

void findComplaintsAboutCode(const CommandLine &line,
                             std::vector<std::string> &complaints) {
  if (line.emit.empty()) {
    return;
  }
  bool isSass = line.emit == "sass";
  auto variants = parseVariants(line.target, [](const llvm::Twine &) {});
  if (llvm::none_of(variants, isSass ? isCubin : isForGpus)) {
    complaints.push_back(
        "--emit=" + line.emit + ": expected " +
        (isSass ? "code of one GPU" : "a variant for GPUs") +
        " in --target, got --target=" + line.target +
        "; for example --target=" + (isSass ? "sm_90" : "compute_80"));
  }
  if (!line.compileTo.empty() || line.estimate || line.check ||
      line.memoryLimit > 0) {
    complaints.push_back("expected --emit alone, got it with --compile-to, "
                         "--estimate, --check or --memory-limit");
  }
}

} // namespace accel
