// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of calls of libraries.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/validate/validate.h"

namespace accel::runtime {
namespace {

// An f32 in one operand of the kernel, of floats of 8 bits.
absl::Status ValidateScale(const planpb::Kernel& kernel,
                           const planpb::Product::Factor& factor) {
  const planpb::Product::Place& scale = factor.scale();
  RETURN_IF_ERROR(CheckIndex("operand", scale.operand(), kernel.arity()));
  const uint64_t room =
      kernel.operands(static_cast<int>(scale.operand())).bytes();
  if (room < sizeof(float) || scale.offset() > room - sizeof(float) ||
      scale.offset() % sizeof(float) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a number of f32 in the ", room, " bytes of operand ",
        scale.operand(), ", got one from byte ", scale.offset(), " on"));
  }
  if (!IsFp8(factor.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected none but of floats of 8 bits, got one of ",
                     ElementTypeName(factor.dtype())));
  }
  return absl::OkStatus();
}

// All of a factor lies in one operand of the kernel.
absl::Status ValidateFactor(const planpb::Kernel& kernel,
                            const planpb::Product::Factor& factor,
                            std::initializer_list<uint64_t> shape) {
  RETURN_IF_ERROR(CheckElementType(factor.dtype()));
  RETURN_IF_ERROR(CheckIndex("operand", factor.operand(), kernel.arity()));
  const std::optional<uint64_t> elements =
      ElementCount({shape.begin(), shape.end()});
  const std::optional<uint64_t> bytes =
      elements ? ElementBytes(factor.dtype(), *elements) : std::nullopt;
  const uint64_t room =
      kernel.operands(static_cast<int>(factor.operand())).bytes();
  if (!bytes || *bytes > room || factor.offset() > room - *bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a factor to lie in the ", room, " bytes of operand ",
        factor.operand(), ", got one of ", absl::StrJoin(shape, "x"), " ",
        ElementTypeName(factor.dtype()), " from byte ", factor.offset(),
        " on"));
  }
  return factor.has_scale() ? Annotate(ValidateScale(kernel, factor), "scale")
                            : absl::OkStatus();
}

// So many numbers of the result's type.
absl::Status ValidatePlace(const planpb::Kernel& kernel,
                           const planpb::Product& product,
                           const planpb::Product::Place& place,
                           std::initializer_list<uint64_t> shape) {
  planpb::Product::Factor numbers;
  numbers.set_operand(place.operand());
  numbers.set_offset(place.offset());
  numbers.set_dtype(product.result().dtype());
  return ValidateFactor(kernel, numbers, shape);
}

absl::Status ValidateActivation(const planpb::Kernel& kernel,
                                const planpb::Product& product) {
  if (!planpb::Product::Activation_IsValid(product.activation())) {
    return absl::UnimplementedError(absl::StrCat(
        "expected an activation that this release knows, got number ",
        static_cast<int>(product.activation())));
  }
  const bool is_gradient =
      product.activation() == planpb::Product::ACTIVATION_GELU_GRADIENT;
  const bool is_none = product.activation() == planpb::Product::ACTIVATION_NONE;
  if (product.has_kept() ? is_none : is_gradient) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a place of what an activation is applied to with an "
        "activation, and always with a gradient, got ",
        product.has_kept() ? "one" : "none"));
  }
  return product.has_kept() ? ValidatePlace(kernel, product, product.kept(),
                                            {product.matrices(), product.rows(),
                                             product.columns()})
                            : absl::OkStatus();
}

absl::Status ValidateProduct(const planpb::Kernel& kernel,
                             const planpb::Product& product) {
  const uint64_t b = product.matrices(), m = product.rows(),
                 n = product.columns(), k = product.depth();
  if (std::min({b, m, n, k}) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a product of positive sizes, got ", b, " of ", m,
                     "x", n, " over ", k));
  }
  // Libraries count in 32 bits.
  if (std::max({b, m, n, k}) > INT32_MAX) {
    return absl::UnimplementedError(
        absl::StrCat("expected sizes of a product up to ", INT32_MAX, ", got ",
                     b, " of ", m, "x", n, " over ", k));
  }
  RETURN_IF_ERROR(
      Annotate(ValidateFactor(kernel, product.lhs(), {b, m, k}), "lhs"));
  RETURN_IF_ERROR(
      Annotate(ValidateFactor(kernel, product.rhs(), {b, k, n}), "rhs"));
  RETURN_IF_ERROR(
      Annotate(ValidateFactor(kernel, product.result(), {b, m, n}), "result"));
  if (product.has_bias()) {
    RETURN_IF_ERROR(Annotate(
        ValidatePlace(kernel, product, product.bias(), {product.columns()}),
        "bias"));
  }
  RETURN_IF_ERROR(Annotate(ValidateActivation(kernel, product), "activation"));
  if (product.tf32() && (product.lhs().dtype() != planpb::ELEMENT_F32 ||
                         product.rhs().dtype() != planpb::ELEMENT_F32)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected operands of f32, which are rounded to TF32, got ",
        ElementTypeName(product.lhs().dtype()), " and ",
        ElementTypeName(product.rhs().dtype())));
  }
  return ValidateStoring(kernel, product.mode(), product.flag());
}

}  // namespace

absl::Status ValidateStoring(const planpb::Kernel& kernel,
                             planpb::Product::Result mode, uint32_t flag) {
  if (mode <= planpb::Product::RESULT_UNSPECIFIED ||
      mode > planpb::Product::RESULT_ADDED_IF) {
    return absl::UnimplementedError(
        absl::StrCat("expected a call to say how its result is stored, got ",
                     static_cast<int>(mode)));
  }
  return mode == planpb::Product::RESULT_ADDED_IF
             ? CheckIndex("operand", flag, kernel.arity())
             : absl::OkStatus();
}

// A library does all of the work at once, with no code of the plan.
absl::Status ValidateLibraryCall(const planpb::Kernel& kernel,
                                 const planpb::KernelEntry& entry) {
  const planpb::LibraryCall& call = entry.call();
  if (call.library().empty() || call.function().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a call to name a library and its function, got "
                     "'",
                     call.library(), "' and '", call.function(), "'"));
  }
  if (entry.size() != 0 || entry.tiles() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a call of '", call.library(),
                     "' to have no code and one tile, got ", entry.size(),
                     " bytes and ", entry.tiles(), " tiles"));
  }
  const planpb::KernelOperand* last =
      kernel.operands().empty() ? nullptr : &*kernel.operands().rbegin();
  const uint64_t room = last && last->per_thread() ? last->bytes() : 0;
  if (call.workspace() > room) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a workspace of at least ", call.workspace(),
        " bytes for a call of '", call.library(), "', got ", room));
  }
  if (call.has_product() && call.has_convolution()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a call of '", call.library(),
                     "' to compute a product or a convolution, got both"));
  }
  if (call.has_convolution()) {
    return Annotate(ValidateConvolution(kernel, call.convolution()),
                    "convolution");
  }
  return call.has_product()
             ? Annotate(ValidateProduct(kernel, call.product()), "product")
             : absl::OkStatus();
}

}  // namespace accel::runtime
