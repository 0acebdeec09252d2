// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect through LLVM's passes to a file in memory.
#include "passes/Lower/GenerateCode.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetOptions.h"

using namespace mlir;
using namespace accel;

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(ModuleOp module, const CodeVariant &variant,
              const CodeGeneration &how) {
  llvm::Triple triple(how.triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    return module.emitError("this LLVM has no code generator for ")
           << how.triple << ": " << error;
  }
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, variant.processor, how.features, llvm::TargetOptions(),
      how.relocation, how.codeModel, how.level));
  if (!machine) {
    return module.emitError("no code generator for processor '")
           << variant.processor << "'";
  }
  return machine;
}

static llvm::Error runPipeline(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               StringRef pipeline) {
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

FailureOr<llvm::SmallVector<char, 0>>
accel::generateCode(ModuleOp codeModule, const CodeVariant &variant,
                    const CodeGeneration &how) {
  auto machine = createMachine(codeModule, variant, how);
  if (failed(machine)) {
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(codeModule, context, "kernels");
  if (!module) {
    return failure();
  }
  // Before any pass: without them the costs are those of no processor.
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  how.addEntries(*module);
  if (llvm::Error error = runPipeline(*module, **machine, how.pipeline)) {
    return codeModule.emitError("variant '")
           << variant.name << "': " << llvm::toString(std::move(error));
  }
  llvm::SmallVector<char, 0> file;
  llvm::raw_svector_ostream stream(file);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr, how.file)) {
    return codeModule.emitError("variant '")
           << variant.name << "': LLVM does not write such files";
  }
  codegen.run(*module);
  return file;
}
