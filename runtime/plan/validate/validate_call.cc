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
  const planpb::Product::Scale& scale = factor.scale();
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

// A number of the result's type for each column.
absl::Status ValidateBias(const planpb::Kernel& kernel,
                          const planpb::Product& product) {
  planpb::Product::Factor vector;
  vector.set_operand(product.bias().operand());
  vector.set_offset(product.bias().offset());
  vector.set_dtype(product.result().dtype());
  return ValidateFactor(kernel, vector, {product.columns()});
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
    RETURN_IF_ERROR(Annotate(ValidateBias(kernel, product), "bias"));
  }
  if (product.tf32() && (product.lhs().dtype() != planpb::ELEMENT_F32 ||
                         product.rhs().dtype() != planpb::ELEMENT_F32)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected operands of f32, which are rounded to TF32, got ",
        ElementTypeName(product.lhs().dtype()), " and ",
        ElementTypeName(product.rhs().dtype())));
  }
  if (product.mode() <= planpb::Product::RESULT_UNSPECIFIED ||
      product.mode() > planpb::Product::RESULT_ADDED_IF) {
    return absl::UnimplementedError(
        absl::StrCat("expected a product to say how its result is stored, got ",
                     static_cast<int>(product.mode())));
  }
  return product.mode() == planpb::Product::RESULT_ADDED_IF
             ? CheckIndex("operand", product.flag(), kernel.arity())
             : absl::OkStatus();
}

}  // namespace

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
  return call.has_product()
             ? Annotate(ValidateProduct(kernel, call.product()), "product")
             : absl::OkStatus();
}

}  // namespace accel::runtime
