// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The managers that LLVM's passes want.
#include "passes/Lower/LlvmPipeline.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"

llvm::Error accel::runPipeline(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::StringRef pipeline) {
  llvm::PassBuilder passes(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass(
      [&] { // no memset, memcpy or libm is made out of a loop
        llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
        library.disableAllFunctions();
        return llvm::TargetLibraryAnalysis(library);
      });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = passes.parsePassPipeline(manager, pipeline)) {
    return error;
  }
  manager.run(module, modules);
  return llvm::Error::success();
}
