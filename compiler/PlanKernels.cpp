// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code variants and kernels of a plan: what the code does with each
// operand, and how each variant cuts it.
#include "compiler/PlanKernels.h"

#include "compiler/PlanBuffers.h"
#include "compiler/PlanInstructions.h"
#include "compiler/PlanSites.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/KernelOperands.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace accel;

/// For people.
static std::string describeTiles(const IterationDomain &domain,
                                 plan::CodeAttr code) {
  bool isRow = code.getTile() == 1 && code.getOf() == plan::TileKind::Rows;
  if (isRow) {
    return llvm::formatv("rows of {0}", domain.columns);
  }
  StringRef of = plan::stringifyTileKind(code.getOf());
  return code.getTile() == 1
             ? of.str()
             : llvm::formatv("blocks of {0} {1}", code.getTile(), of).str();
}

/// Equal kernels have equal keys, in whatever plan; names are no part of it.
static std::string computeKey(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.getBody().front().walk([&](Operation *op) {
    op->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  });
  function->getAttr(kKernelAttr).print(stream);
  function.getFunctionType().print(stream);
  // Whether results are added to what is there.
  if (ArrayAttr attributes = function.getResAttrsAttr()) {
    attributes.print(stream);
  }
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(text.data()),
                                text.size());
  return llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true);
}

/// What each operand is for, whatever the variant.
static void addOperands(func::FuncOp function, planpb::Kernel &kernel) {
  plan::CodeAttr first = getCodeOfVariants(function)->front();
  for (const KernelOperand &operand : getKernelOperands(function, first)) {
    planpb::KernelOperand *message = kernel.add_operands();
    message->set_mode(toMode(operand.access));
    message->set_bytes(operand.bytes);
  }
  if (int64_t workspace = getWorkspaceBytes(function)) {
    planpb::KernelOperand *message = kernel.add_operands();
    message->set_mode(planpb::Access::MODE_READ_WRITE);
    message->set_bytes(workspace);
    message->set_per_thread(true);
  }
  kernel.set_arity(kernel.operands_size());
}

/// Of what `operand` of the kernel, an argument or a result, is made.
static Type getOperandElement(func::FuncOp function, int64_t operand) {
  int64_t arguments = function.getNumArguments();
  return getElementTypeOrSelf(
      operand < arguments ? function.getArgumentTypes()[operand]
                          : function.getResultTypes()[operand - arguments]);
}

/// How the first result of the kernel, which `message` describes, gets into its
/// memory.
template <typename MessageT>
static void setStoring(func::FuncOp function, MessageT &message) {
  BlockArgument flag = getKeepArgument(function, 0);
  message.set_mode(flag ? planpb::Product::RESULT_ADDED_IF
                   : isAccumulated(function, 0)
                       ? planpb::Product::RESULT_ADDED
                       : planpb::Product::RESULT_STORED);
  message.set_flag(flag ? flag.getArgNumber() : 0);
}

static void setFactor(func::FuncOp function, plan::FactorAttr factor,
                      planpb::Product::Factor &message) {
  int64_t operand = factor.getOperand();
  Type element = getOperandElement(function, operand);
  message.set_operand(operand);
  message.set_offset(factor.getOffset() * getStoredBytes(element));
  message.set_transposed(factor.getTransposed());
  message.set_dtype(toElementType(element));
  if (factor.getScale() >= 0) {
    message.mutable_scale()->set_operand(factor.getScale());
    message.mutable_scale()->set_offset(factor.getScaleOffset() *
                                        sizeof(float));
  }
}

static planpb::Product::Activation getActivation(plan::Activation activation) {
  switch (activation) {
  case plan::Activation::None:
    return planpb::Product::ACTIVATION_NONE;
  case plan::Activation::Gelu:
    return planpb::Product::ACTIVATION_GELU;
  case plan::Activation::GeluGradient:
    return planpb::Product::ACTIVATION_GELU_GRADIENT;
  }
  llvm_unreachable("all activations are listed");
}

static void addProduct(func::FuncOp function, plan::ProductAttr product,
                       planpb::Product &message) {
  message.set_matrices(product.getMatrices());
  message.set_rows(product.getRows());
  message.set_columns(product.getColumns());
  message.set_depth(product.getDepth());
  message.set_tf32(product.getTf32());
  setFactor(function, product.getLhs(), *message.mutable_lhs());
  setFactor(function, product.getRhs(), *message.mutable_rhs());
  // Of two results one is what an activation is applied to.
  int64_t first = function.getNumArguments();
  auto result = plan::FactorAttr::get(
      function.getContext(), product.getKept() == first ? first + 1 : first,
      /*offset=*/0, /*transposed=*/false, /*scale=*/-1, /*scaleOffset=*/0);
  setFactor(function, result, *message.mutable_result());
  int64_t bytes =
      getStoredBytes(getElementTypeOrSelf(function.getResultTypes().front()));
  if (product.getBias() >= 0) {
    message.mutable_bias()->set_operand(product.getBias());
    message.mutable_bias()->set_offset(product.getBiasOffset() * bytes);
  }
  message.set_activation(getActivation(product.getActivation()));
  if (product.getKept() >= 0) {
    message.mutable_kept()->set_operand(product.getKept());
    message.mutable_kept()->set_offset(product.getKeptOffset() * bytes);
  }
  setStoring(function, message);
}

static void setStrided(func::FuncOp function, plan::StridedAttr tensor,
                       planpb::Convolution::Strided &message) {
  Type element = getOperandElement(function, tensor.getOperand());
  message.set_operand(tensor.getOperand());
  message.set_offset(tensor.getOffset() * getStoredBytes(element));
  message.mutable_strides()->Add(tensor.getStrides().begin(),
                                 tensor.getStrides().end());
  message.set_dtype(toElementType(element));
}

static void addConvolution(func::FuncOp function,
                           plan::ConvolutionAttr convolution,
                           planpb::Convolution &message) {
  message.set_direction(convolution.getDirection() ==
                                plan::ConvolutionDirection::Forward
                            ? planpb::Convolution::DIRECTION_FORWARD
                            : planpb::Convolution::DIRECTION_WEIGHT_GRADIENT);
  message.set_samples(convolution.getSamples());
  auto add = [](google::protobuf::RepeatedField<uint64_t> *to,
                ArrayRef<int64_t> sizes) {
    to->Add(sizes.begin(), sizes.end());
  };
  add(message.mutable_places(), convolution.getPlaces());
  add(message.mutable_windows(), convolution.getWindows());
  add(message.mutable_strides(), convolution.getStrides());
  add(message.mutable_dilations(), convolution.getDilations());
  message.set_channels(convolution.getChannels());
  message.set_filters(convolution.getFilters());
  message.set_tf32(convolution.getTf32());
  setStrided(function, convolution.getImage(), *message.mutable_image());
  setStrided(function, convolution.getWeights(), *message.mutable_weights());
  setStrided(function, convolution.getOutput(), *message.mutable_output());
  setStoring(function, message);
}

/// The entry in one variant: code and how it is cut, or a call of a library.
static void addEntry(func::FuncOp function, const CodeEntry &entry,
                     StringRef variant, planpb::Kernel &kernel) {
  planpb::KernelEntry *message = kernel.add_entries();
  plan::CodeAttr code = *getCode(function, variant);
  plan::LibraryCallAttr call = getLibraryCall(function, variant);
  if (call) {
    message->mutable_call()->set_library(call.getLibrary().str());
    message->mutable_call()->set_function(call.getFunction().str());
    message->mutable_call()->set_workspace(call.getWorkspace());
    if (plan::ProductAttr product = call.getProduct()) {
      addProduct(function, product,
                 *message->mutable_call()->mutable_product());
    }
    if (plan::ConvolutionAttr convolution = call.getConvolution()) {
      addConvolution(function, convolution,
                     *message->mutable_call()->mutable_convolution());
    }
  }
  message->set_offset(entry.offset);
  message->set_size(entry.size);
  message->set_tiles(code.getTiles());
  message->set_extent(
      call ? "one call" : describeTiles(*IterationDomain::get(function), code));
  message->set_grain(code.getGrain());
  message->set_threads(code.getThreads());
  if (const Occupancy &occupancy = entry.occupancy; occupancy.registers != 0) {
    message->mutable_occupancy()->set_registers(occupancy.registers);
    message->mutable_occupancy()->set_blocks(occupancy.blocks);
    message->mutable_occupancy()->set_bound(occupancy.bound);
  }
  for (const KernelOperand &operand : getKernelOperands(function, code)) {
    message->add_tile_bytes(operand.tileBytes);
  }
  // The workspace is nobody's part.
  while (message->tile_bytes_size() < kernel.operands_size()) {
    message->add_tile_bytes(0);
  }
}

static planpb::DeviceKind toDevice(plan::DeviceKind device) {
  switch (device) {
  case plan::DeviceKind::Cpu:
    return planpb::DEVICE_CPU;
  case plan::DeviceKind::Cuda:
    return planpb::DEVICE_CUDA;
  }
  llvm_unreachable("all devices are listed");
}

static void addVariants(ModuleOp module, const LoweredCode &code,
                        planpb::Manifest &manifest) {
  for (const VariantCode &variant : code.variants) {
    auto op = module.lookupSymbol<plan::VariantOp>(variant.variant.name);
    planpb::CodeVariant *message = manifest.add_variants();
    message->set_name(variant.variant.name);
    message->set_device(toDevice(op.getDevice()));
    for (StringRef feature : op.getFeatures().getAsValueRange<StringAttr>()) {
      message->add_features(feature.str());
    }
    message->set_vector_lanes(op.getLanes());
    message->set_cpu(op.getProcessor().str());
    message->set_assembler(variant.image.assembler);
  }
}

PlanKernels::PlanKernels(ModuleOp module, const LoweredCode &code,
                         planpb::Manifest &manifest) {
  addVariants(module, code, manifest);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(plan::kCodeAttr)) {
      continue;
    }
    uint32_t index = manifest.kernels_size();
    indices[function.getSymName()] = index;
    planpb::Kernel *kernel = manifest.add_kernels();
    kernel->set_key(computeKey(function));
    kernel->set_name(function.getSymName().str());
    kernel->set_flushes_subnormals(function->hasAttr(plan::kFlushesAttr));
    addOperands(function, *kernel);
    addSites(function, *kernel);
    for (const VariantCode &variant : code.variants) {
      addEntry(function, variant.image.entries[index], variant.variant.name,
               *kernel);
    }
  }
}

std::optional<uint32_t> PlanKernels::find(StringRef name) const {
  auto known = indices.find(name);
  return known == indices.end() ? std::nullopt : std::optional(known->second);
}
