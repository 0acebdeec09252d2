// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversions of MLIR, in the order that suits kernels.
#include "passes/Lower/ConvertToLLVM.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

LogicalResult accel::convertToLLVM(ModuleOp codeModule, TimingScope &timing) {
  PassManager manager(codeModule.getContext());
  manager.enableVerifier(false);
  manager.enableTiming(timing);
  // As much as can be, function by function: on several threads.
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createSCFToControlFlowPass());
  // Views of buffers become address arithmetic.
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createConvertVectorToLLVMPass());
  functions.addPass(createConvertMathToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions calls;
  calls.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(calls));
  manager.addNestedPass<LLVM::LLVMFuncOp>(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addNestedPass<LLVM::LLVMFuncOp>(createReconcileUnrealizedCastsPass());
  return manager.run(codeModule);
}
