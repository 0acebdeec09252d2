// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rest of the way to machine code: LLVM's passes as a code generator only,
// an object file in memory, and the linker.
#include "passes/Lower/Cpu/Codegen.h"

#include "passes/Analysis/IterationDomain.h"
#include "passes/Lower/Cpu/LinkImage.h"
#include "passes/Lower/GenerateCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static void setAttributes(llvm::Function &function) {
  function.addFnAttr(
      llvm::Attribute::NoUnwind); // no unwind tables in the image
  function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr("no-trapping-math", "true");
  function.addFnAttr("no-builtins");
  function.addFnAttr("no-jump-tables", "true");
}

/// kernel.code(ptr..., i64, i64) becomes kernel(ptr buffers[], i64, i64): one
/// signature for every kernel, so that the runtime needs no stubs.
static void addEntry(llvm::Function &body) {
  llvm::Module &module = *body.getParent();
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  StringRef name = body.getName();
  name.consume_back(kCodeSuffix);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, i64, i64}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i + 2 < body.arg_size(); ++i) {
    llvm::Value *slot =
        builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i);
    arguments.push_back(
        builder.CreateAlignedLoad(pointer, slot, llvm::Align(8)));
  }
  arguments.append({entry->getArg(1), entry->getArg(2)});
  builder.CreateCall(&body, arguments);
  builder.CreateRetVoid();
  body.setLinkage(llvm::GlobalValue::InternalLinkage);
  body.addFnAttr(llvm::Attribute::AlwaysInline);
  setAttributes(body);
  setAttributes(*entry);
}

static void addEntries(llvm::Module &module) {
  SmallVector<llvm::Function *> bodies;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      bodies.push_back(&function);
    }
  }
  for (llvm::Function *body : bodies) {
    if (body->getName().ends_with(kCodeSuffix)) {
      addEntry(*body);
      continue;
    }
    // What kernels share is there once.
    body->setLinkage(llvm::GlobalValue::InternalLinkage);
    body->addFnAttr(llvm::Attribute::NoInline);
    setAttributes(*body);
  }
}

/// Everything that matters is in explicit vectors already, and MLIR has removed
/// what is common or constant: LLVM inlines the bodies, gives routines
/// what all their callers pass, folds address arithmetic, moves invariants out
/// of loops, schedules and allocates registers. Its own pipelines take three
/// times as long for the same code; unrolled completely a row would spill and
/// outrun the prefetcher.
static constexpr llvm::StringLiteral kPipeline =
    "always-inline,globaldce,ipsccp,function("
    "simplifycfg,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(indvars),early-cse,simplifycfg)";

void accel::prepareTranslation(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

/// What LLVM calls a feature, and no name of ours.
static std::string getFeatures(const CodeVariant &variant) {
  std::string features;
  for (const std::string &feature : variant.features) {
    if (!StringRef(feature).starts_with("fast-")) {
      features += (features.empty() ? "+" : ",+") + feature;
    }
  }
  return features;
}

FailureOr<CodeImage> accel::compileKernels(ModuleOp codeModule,
                                           const CodeVariant &variant) {
  // The triple is not the host's: the same bytes wherever the compiler runs.
  auto object = generateCode(codeModule, variant,
                             {"x86_64-unknown-linux-gnu", getFeatures(variant),
                              llvm::Reloc::PIC_, llvm::CodeModel::Small,
                              llvm::CodeGenOptLevel::Default, kPipeline,
                              addEntries, llvm::CodeGenFileType::ObjectFile});
  if (failed(object)) {
    return failure();
  }
  llvm::Expected<CodeImage> image = linkImage(llvm::MemoryBufferRef(
      StringRef(object->data(), object->size()), "kernels"));
  if (!image) {
    return codeModule.emitError("variant '")
           << variant.name << "': " << llvm::toString(image.takeError());
  }
  return std::move(*image);
}
