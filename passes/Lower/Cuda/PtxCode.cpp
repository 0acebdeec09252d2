// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's code generator for PTX, and where in its text each kernel is.
#include "passes/Lower/Cuda/PtxCode.h"

#include "passes/Analysis/IterationDomain.h"
#include "passes/Lower/GenerateCode.h"
#include "passes/Target/Cuda/CudaTarget.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The body of the entry of `body`: every warp calls it for one tile.
static void addBody(llvm::Function &body, llvm::Function &entry) {
  llvm::LLVMContext &context = entry.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &entry));
  auto *run = llvm::BasicBlock::Create(context, "", &entry);
  auto *done = llvm::BasicBlock::Create(context, "", &entry);
  auto read = [&](llvm::Intrinsic::ID id) -> llvm::Value * {
    return builder.CreateZExt(builder.CreateIntrinsic(id, {}),
                              builder.getInt64Ty());
  };
  llvm::Value *block = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value *thread = read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value *warp = builder.CreateAdd(
      builder.CreateMul(block, builder.getInt64(kBlockThreads / kWarpThreads)),
      builder.CreateUDiv(thread, builder.getInt64(kWarpThreads)));
  SmallVector<llvm::Value *> arguments(llvm::make_pointer_range(entry.args()));
  llvm::Value *end = arguments.pop_back_val();
  llvm::Value *tile = builder.CreateAdd(arguments.pop_back_val(), warp);
  builder.CreateCondBr(builder.CreateICmpULT(tile, end), run, done);
  builder.SetInsertPoint(run);
  arguments.append({tile, builder.CreateAdd(tile, builder.getInt64(1))});
  builder.CreateCall(&body, arguments);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

static void addEntry(llvm::Function &body) {
  StringRef name = body.getName();
  name.consume_back(kCodeSuffix);
  auto *entry = llvm::Function::Create(body.getFunctionType(),
                                       llvm::GlobalValue::ExternalLinkage, name,
                                       body.getParent());
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  entry->addFnAttr("nvvm.reqntid", llvm::utostr(kBlockThreads));
  // Code that needs many registers says that one block is enough.
  if (body.hasFnAttribute("nvvm.minctasm")) {
    entry->addFnAttr(body.getFnAttribute("nvvm.minctasm"));
  }
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  entry->addFnAttr(llvm::Attribute::Convergent);
  addBody(body, *entry);
}

/// Everything but the entries becomes a part of them.
static void addEntries(llvm::Module &module) {
  SmallVector<llvm::Function *> bodies;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      bodies.push_back(&function);
    }
  }
  for (llvm::Function *body : bodies) {
    body->setLinkage(llvm::GlobalValue::InternalLinkage);
    body->addFnAttr(llvm::Attribute::AlwaysInline);
    body->addFnAttr(llvm::Attribute::NoUnwind);
    if (body->getName().ends_with(kCodeSuffix)) {
      addEntry(*body);
    }
  }
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// What a thread keeps for itself goes into registers; loops stay.
static constexpr llvm::StringLiteral kPipeline =
    "always-inline,globaldce,function("
    "sroa,simplifycfg,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(indvars),early-cse,simplifycfg)";

void accel::preparePtx(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

/// Each kernel's text, from its entry to the next one.
static std::vector<CodeEntry> findEntries(StringRef ptx) {
  constexpr StringLiteral kBegin = ".visible .entry ";
  std::vector<CodeEntry> entries;
  for (size_t at = ptx.find(kBegin); at != StringRef::npos;) {
    size_t next = ptx.find(kBegin, at + 1);
    StringRef name = ptx.substr(at + kBegin.size()).split('(').first;
    entries.push_back({name.str(), at, std::min(next, ptx.size()) - at});
    at = next;
  }
  return entries;
}

FailureOr<CodeImage> accel::compilePtx(ModuleOp codeModule,
                                       const CodeVariant &variant) {
  auto text = generateCode(
      codeModule, variant,
      {"nvptx64-nvidia-cuda", ("+" + getPtxVersion(variant)).str(),
       std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive, kPipeline,
       addEntries, llvm::CodeGenFileType::AssemblyFile});
  if (failed(text)) {
    return failure();
  }
  StringRef ptx(text->data(), text->size());
  // The driver would refuse it: nothing is linked to PTX.
  if (size_t at = ptx.find(".extern .func"); at != StringRef::npos) {
    return codeModule.emitError("variant '")
           << variant.name << "': the code calls out of itself: "
           << ptx.substr(at).split(';').first;
  }
  CodeImage image;
  image.code.assign(ptx.begin(), ptx.end());
  image.entries = findEntries(ptx);
  return image;
}
