// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where the tensors of a convolution lie, and how much workspace its call
// may want.
#include "passes/Target/Cuda/ConvolutionCall.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Target/Cuda/CallEpilogue.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

/// Who reads `value`, under whatever shape; null if there are several.
static Operation *findReader(Value value) {
  while (value.hasOneUse()) {
    auto reshape = dyn_cast<ReshapeOp>(*value.user_begin());
    if (!reshape) {
      return *value.user_begin();
    }
    value = reshape.getResult();
  }
  return nullptr;
}

bool accel::isPartOfConvolution(MatmulOp product, Operation *op) {
  auto rounding = dyn_cast<CastOp>(op);
  return rounding && findReader(product.getResult()) == op &&
         elementTypeOf(rounding) == elementTypeOf(product.getLhs());
}

/// cuDNN knows no tensor whose elements lie at one place.
static bool isRepeated(Value image, Value root) {
  return llvm::any_of(
      llvm::zip_equal(shapeOf(image), getStridedView(image, root)->strides),
      [](auto each) {
        return std::get<0>(each) > 1 && std::get<1>(each) == 0;
      });
}

bool accel::readsWindowsInPlace(MatmulOp product, Convolution &convolution,
                                Value root) {
  Value image = convolution.image();
  Type element = elementTypeOf(product.getLhs());
  if (elementTypeOf(root) != element || elementTypeOf(image) != element ||
      elementTypeOf(product.getRhs()) != element) {
    return false;
  }
  Operation *reader = findReader(product.getResult());
  bool isStoredAlike =
      element.isF32() || (reader && isPartOfConvolution(product, reader));
  return isStoredAlike && liesInRows(image, root) && !isRepeated(image, root);
}

/// Where `tensor` of the kernel lies; null if that is no operand of it.
static plan::StridedAttr findImage(Convolution &convolution) {
  Value image = convolution.image(), root = getViewRoot(image);
  auto argument = dyn_cast<BlockArgument>(root);
  std::optional<StridedView> view =
      argument ? getStridedView(image, root) : std::nullopt;
  if (!view) {
    return {};
  }
  // A dimension of one element moves nowhere: it gets the stride that it would
  // have without gaps.
  SmallVector<int64_t> shape = convolution.imageShape(), strides(view->strides);
  for (size_t i = shape.size(); i-- > 0;) {
    bool isLast = i + 1 == shape.size();
    if (shapeOf(image)[i] == 1) {
      strides[i] = isLast ? 1 : strides[i + 1] * shapeOf(image)[i + 1];
    }
  }
  return plan::StridedAttr::get(image.getContext(), argument.getArgNumber(),
                                view->offset, strides);
}

/// `matrix`, which lies in one piece, as a tensor with these strides.
static plan::StridedAttr findMatrix(Value matrix, ArrayRef<int64_t> strides) {
  auto argument = dyn_cast<BlockArgument>(getViewRoot(matrix));
  int64_t offset = 0;
  if (!argument || elementTypeOf(argument) != elementTypeOf(matrix) ||
      !isContiguousPart(matrix, argument, offset)) {
    return {};
  }
  return plan::StridedAttr::get(matrix.getContext(), argument.getArgNumber(),
                                offset, strides);
}

/// What engines of cuDNN want that bring tensors into another order first: room
/// for all three, whose channels are padded to what tensor cores read. Large
/// convolutions have engines that do without.
static int64_t getWorkspace(Type element, ArrayRef<int64_t> image,
                            ArrayRef<int64_t> weights,
                            ArrayRef<int64_t> output) {
  constexpr int64_t kLeast = int64_t{32} << 20, kMost = int64_t{256} << 20;
  constexpr int64_t kChannels = 8, kBesides = int64_t{1} << 20;
  auto bytesOf = [&](ArrayRef<int64_t> shape) {
    return llvm::product_of(shape.drop_back()) *
           llvm::alignTo(shape.back(), kChannels) * getStoredBytes(element);
  };
  int64_t wanted =
      bytesOf(image) + bytesOf(weights) + bytesOf(output) + kBesides;
  return llvm::alignTo(std::clamp(wanted, kLeast, kMost), plan::kAlignment);
}

/// Whether the kernel stores the product, perhaps rounded, and nothing else.
static bool isAlone(func::FuncOp kernel, MatmulOp product) {
  Operation *end = kernel.getBody().front().getTerminator();
  Operation *reader = findReader(product.getResult());
  if (reader && isPartOfConvolution(product, reader)) {
    reader = findReader(reader->getResult(0));
  }
  return end->getNumOperands() == 1 && reader == end;
}

plan::LibraryCallAttr accel::getConvolutionCall(func::FuncOp kernel,
                                                MatmulOp product,
                                                Convolution &convolution,
                                                bool mayUseTf32) {
  bool isForward = convolution.direction == plan::ConvolutionDirection::Forward;
  SmallVector<int64_t> image = convolution.imageShape(),
                       weights = convolution.weightsShape(),
                       output = convolution.outputShape(),
                       weightStrides = convolution.weightsStrides();
  MLIRContext *context = kernel.getContext();
  plan::StridedAttr read = findImage(convolution);
  plan::StridedAttr matrix = findMatrix(
      convolution.matrix, isForward ? weightStrides : computeStrides(output));
  auto result = plan::StridedAttr::get(
      context, kernel.getNumArguments(), /*offset=*/0,
      isForward ? computeStrides(output) : weightStrides);
  Type element = elementTypeOf(product.getLhs());
  if (!read || !matrix || !isAlone(kernel, product) ||
      elementTypeOf(kernel.getBody().front().getTerminator()->getOperand(0)) !=
          element) {
    kernel.emitOpError("expected one convolution whose image and other operand "
                       "lie in what the kernel reads, stored in their type, "
                       "which is all that cuDNN computes");
    return {};
  }
  auto description = plan::ConvolutionAttr::get(
      context, convolution.direction, convolution.samples, convolution.places(),
      convolution.windows.getSizes(), convolution.windows.getStrides(),
      convolution.windows.getDilations(), convolution.channels,
      convolution.filters, read, isForward ? matrix : result,
      isForward ? result : matrix, mayUseTf32 && element.isF32());
  return plan::LibraryCallAttr::get(
      context, "cudnn", "cudnnBackendExecute",
      getWorkspace(element, image, weights, output), /*product=*/{},
      description);
}
