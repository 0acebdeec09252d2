// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answers for GPUs.
#include "passes/Target/Cuda/CudaTarget.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/Convolution.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Target/Cuda/CallEpilogue.h"
#include "passes/Target/Cuda/ConvolutionCall.h"
#include "passes/Target/Cuda/GroupedWarpTiles.h"
#include "passes/Target/Cuda/ProductCall.h"
#include "passes/Target/Cuda/TransposeTiles.h"
#include "passes/Target/Cuda/WarpAttentionTiles.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace accel;

/// A chunk of a reduction: four elements for each thread of a warp, so that a
/// thread has four independent sums.
static constexpr int64_t kLanes = 4 * kWarpThreads;

namespace {

/// A generation of GPUs; the oldest PTX that knows it: 8.7 came with CUDA 12.8,
/// 8.6 with 12.7, 8.1 with 12.1, 8.0 with 12.0, 7.1 with 11.1; and the threads
/// that a processor has room for.
struct Generation {
  const char *number, *ptx;
  unsigned threads;
};

} // namespace

static constexpr Generation kGenerations[] = {{"120", "ptx87", 1536},
                                              {"100", "ptx86", 2048},
                                              {"90", "ptx80", 2048},
                                              {"89", "ptx81", 1536},
                                              {"80", "ptx71", 2048}};

/// A driver must know the PTX, which later generations execute, too; code of a
/// generation needs that.
static std::vector<CodeVariant> makeVariants() {
  std::vector<CodeVariant> variants;
  for (const Generation &generation : kGenerations) {
    std::string processor = std::string("sm_") + generation.number;
    variants.push_back(
        {processor, plan::DeviceKind::Cuda, processor, {processor}, kLanes});
    std::string family = std::string("compute_") + generation.number;
    variants.push_back({family,
                        plan::DeviceKind::Cuda,
                        processor,
                        {family, generation.ptx},
                        kLanes});
  }
  return variants;
}

ArrayRef<CodeVariant> accel::getCudaVariants() {
  static const std::vector<CodeVariant> variants = makeVariants();
  return variants;
}

static const Generation &getGeneration(const CodeVariant &variant) {
  return *llvm::find_if(kGenerations, [&](const Generation &generation) {
    return StringRef(variant.processor).drop_front(3) == generation.number;
  });
}

StringRef accel::getPtxVersion(const CodeVariant &variant) {
  return getGeneration(variant).ptx;
}

unsigned accel::getProcessorThreads(const CodeVariant &variant) {
  return getGeneration(variant).threads;
}

static std::vector<CodeVariant> withLanes(std::vector<CodeVariant> variants) {
  for (CodeVariant &variant : variants) {
    variant.lanes = kLanes;
  }
  return variants;
}

CudaTarget::CudaTarget(std::vector<CodeVariant> gpus,
                       std::vector<CodeVariant> cpus)
    : gpus(std::move(gpus)), hasCpus(!cpus.empty()),
      cpu(withLanes(std::move(cpus))) {}

SmallVector<CodeVariant> CudaTarget::getVariants(ModuleOp program) const {
  SmallVector<CodeVariant> all(gpus.begin(), gpus.end());
  if (hasCpus) {
    llvm::append_range(all, cpu.getVariants(program));
  }
  return all;
}

/// PTX of a generation is what the oldest GPU is that runs it.
Fp8Support CudaTarget::getFp8Support(int64_t block) const {
  bool areNewEnough = llvm::all_of(gpus, [](const CodeVariant &gpu) {
    return StringRef(gpu.processor) != "sm_80";
  });
  return areNewEnough && block == 0 ? Fp8Support::Native : Fp8Support::None;
}

/// cuBLASLt's fast products of 16 bits read and write 16 bytes at a time.
static constexpr int64_t kPaddedMultiple = 8;

/// For 1 GFLOP they save as much as padding costs.
static bool isWorthPadding(MatmulOp product) {
  constexpr int64_t kEnoughFlops = int64_t{1} << 30;
  return 2 * getNumElements(product) * getSummedElements(product) >=
         kEnoughFlops;
}

/// A product that is padded is rounded right behind its sums (PadProducts).
OpOperand *CudaTarget::getBias(MatmulOp product) const {
  bool isPadded = isWorthPadding(product) &&
                  shapeOf(product.getResult()).back() % kPaddedMultiple != 0;
  return isPadded || product.getRole() != ProductRole::Forward ||
                 Convolution::find(product)
             ? nullptr
             : findBias(product);
}

/// On other generations a GELU is reported to be faster as a kernel of its own.
Operation *CudaTarget::getActivation(MatmulOp product) const {
  bool isWorthIt = llvm::all_of(gpus, [](const CodeVariant &gpu) {
    return StringRef(gpu.processor) == "sm_90" ||
           StringRef(gpu.processor) == "sm_100";
  });
  return isWorthIt && product.getRole() != ProductRole::WeightGradient &&
                 !Convolution::find(product)
             ? findActivation(product)
             : nullptr;
}

/// A warp keeps the sums of its columns in registers.
Decision CudaTarget::mayJoin(const KernelCandidate &kernel, Operation *op,
                             bool readsRows) const {
  return kernel.kind == LoopKind::Columns
             ? Decision::no("each sum over rows has warps of its own")
             : cpu.mayJoin(kernel, op, readsRows);
}

/// The plan's kernels for CPUs, if it has any, compute the same.
Decision CudaTarget::mayFollow(MatmulOp product, Operation *op) const {
  if (Convolution::find(product)) {
    return isPartOfConvolution(product, op)
               ? Decision::yes()
               : Decision::no("cuDNN computes the convolution and the rounding "
                              "to what it reads");
  }
  return isPartOfCall(product, getActivation(product), op)
             ? cpu.mayFollow(product, op)
             : Decision::no("cuBLASLt computes the product, its bias, a GELU "
                            "by tanh or its gradient, and the rounding");
}

/// cuBLASLt reads matrices, and knows nothing of windows; cuDNN reads those.
Decision CudaTarget::readsInPlace(Operation *op, Value operand,
                                  Value root) const {
  int64_t offset = 0;
  auto product = dyn_cast<MatmulOp>(op);
  if (product && !isContiguousPart(operand, root, offset)) {
    std::optional<Convolution> convolution = Convolution::find(product);
    if (!convolution || operand == convolution->matrix ||
        !readsWindowsInPlace(product, *convolution, root)) {
      return Decision::no("it does not lie in one piece");
    }
    if (!hasCpus) {
      return Decision::yes();
    }
  }
  return cpu.readsInPlace(op, operand, root);
}

/// Enough warps are at work when each processor of a large GPU, of which there
/// are 132 to 160, has about 16.
static constexpr int64_t kEnoughWarps = 2048;

/// The parts of a kernel, of which each has a warp for 128 columns, that keep
/// enough warps at work.
static int64_t countParts(int64_t columns) {
  return llvm::divideCeil(kEnoughWarps, llvm::divideCeil(columns, kLanes));
}

/// A warp sums 128 columns. Parts so short that their sums are as many as the
/// rows that they save gain nothing.
int64_t CudaTarget::getSumLength(int64_t rows, int64_t columns) const {
  constexpr int64_t kShortest = 64;
  return std::max(kShortest, static_cast<int64_t>(
                                 llvm::divideCeil(rows, countParts(columns))));
}

int64_t CudaTarget::getRowMultiple(MatmulOp product) const {
  bool isNarrow = elementTypeOf(product.getLhs()).getIntOrFloatBitWidth() == 16;
  return isWorthPadding(product) && isNarrow && !Convolution::find(product)
             ? kPaddedMultiple
             : 1;
}

/// Processors from the generation 100 on take any operands of 8 bits.
bool CudaTarget::wantsSummedLast(MatmulOp product) const {
  return isFp8(elementTypeOf(product.getLhs()));
}

/// Into how many parts the rows of a table are dealt that a kernel of `columns`
/// columns adds rows to; 1: it does something else, or has a single column,
/// which no thread shares with another.
static int64_t countTableParts(func::FuncOp kernel, int64_t columns) {
  int64_t rows = 0;
  if (columns == 1) {
    return 1;
  }
  for (Value result : kernel.getBody().front().getTerminator()->getOperands()) {
    Value root = getViewRoot(result);
    if (!root.getDefiningOp<ScatterAddOp>()) {
      return 1;
    }
    rows = std::max(rows, getNumElements(root) / columns);
  }
  return llvm::bit_floor(
      static_cast<uint64_t>(std::min(rows, countParts(columns))));
}

/// Elements and columns in fours for each thread of a warp; rows one by one,
/// but copies that transpose in blocks, of which a tile has 32.
static plan::CodeAttr cut(func::FuncOp kernel, const IterationDomain &domain) {
  int64_t tiles = domain.rows, tile = 1;
  plan::TileKind of = plan::TileKind::Rows;
  if (domain.kind == LoopKind::Flat) {
    tile = kLanes;
    tiles = llvm::divideCeil(domain.elements, tile);
    of = plan::TileKind::Elements;
  } else if (domain.kind == LoopKind::Columns) {
    tile = kLanes;
    tiles = llvm::divideCeil(domain.columns, tile) *
            countTableParts(kernel, domain.columns);
    of = plan::TileKind::Columns;
  } else if (domain.kind == LoopKind::Concat) {
    // Few long rows are cut into pieces.
    int64_t pieces = std::min(llvm::divideCeil(kEnoughWarps, domain.rows),
                              llvm::divideCeil(domain.columns, 4 * kLanes));
    tiles = domain.rows * pieces;
  } else if (Operation *grouped = findGrouped(kernel)) {
    tiles = GroupedWarpTiles::get(grouped).allTiles();
    tile = GroupedWarpTiles::kColumns;
    of = plan::TileKind::Columns;
  } else if (Operation *attention = findAttention(kernel)) {
    tiles = WarpAttentionTiles::get(attention).allTiles();
  } else if (auto transposed = TransposeTiles::find(kernel)) {
    tiles = transposed->allTiles();
    tile = transposed->tileElements();
    of = plan::TileKind::Elements;
  }
  return plan::CodeAttr::get(kernel.getContext(), tiles, tile, of, /*grain=*/0,
                             /*workspace=*/0, /*vectors=*/0, /*packed=*/0,
                             /*dots=*/0, kBlockThreads);
}

Attribute CudaTarget::getEntry(func::FuncOp kernel, const CodeVariant &variant,
                               bool mayUseTf32) const {
  if (variant.device == plan::DeviceKind::Cpu) {
    return cpu.getEntry(kernel, variant, mayUseTf32);
  }
  FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
  if (failed(domain)) {
    return {};
  }
  if (domain->kind == LoopKind::Product) {
    MatmulOp product = getProduct(kernel);
    std::optional<Convolution> convolution =
        product ? Convolution::find(product) : std::nullopt;
    return convolution
               ? getConvolutionCall(kernel, product, *convolution, mayUseTf32)
               : getProductCall(kernel, mayUseTf32);
  }
  return cut(kernel, *domain);
}
