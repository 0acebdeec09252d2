// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in the compiler's own memory, as the interpreter and constant folding
// compute with them: every float is a double, every integer an int64 that fits
// its type, every boolean 0 or 1.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_HOSTTENSOR_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_HOSTTENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace accel {

/// The most elements a tensor may have at compile time: 2 GiB of doubles.
inline constexpr int64_t kMaxHostElements = int64_t(1) << 28;

/// Whether `type` has a static shape of at most `maxElements` elements
/// (computed without overflow).
bool fitsHost(mlir::RankedTensorType type,
              int64_t maxElements = kMaxHostElements);

/// A tensor value with static shape and row-major elements.
///
/// Copies share their elements (a copy costs nothing, whatever its size); the
/// mutable accessors detach a shared tensor first. A default-constructed tensor
/// is null: it stands for an operand or input that is absent.
class HostTensor {
public:
  HostTensor() = default;

  /// Zeros. Requires: `type` has a static shape.
  explicit HostTensor(mlir::RankedTensorType type);

  /// Requires: as many elements as `type` has, and the storage of its element
  /// type (floats or integers and booleans).
  HostTensor(mlir::RankedTensorType type, std::vector<double> elements);
  HostTensor(mlir::RankedTensorType type, std::vector<int64_t> elements);

  /// The elements of `attribute`; none if they are not in memory, too many (a
  /// splat claims any size for free), or of a type that the dialect does not
  /// have.
  static std::optional<HostTensor> fromAttribute(mlir::ElementsAttr attribute);

  /// A tensor with all elements equal to `value`, converted to the element
  /// type.
  static HostTensor splat(mlir::RankedTensorType type, double value);

  explicit operator bool() const { return static_cast<bool>(type); }

  mlir::RankedTensorType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  mlir::Type getElementType() const { return type.getElementType(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  bool isFloat() const {
    return mlir::isa<mlir::FloatType>(type.getElementType());
  }

  /// Requires: `isFloat()` for floats, else for integers.
  llvm::ArrayRef<double> floats() const {
    return *std::get<Storage<double>>(elements);
  }
  llvm::ArrayRef<int64_t> integers() const {
    return *std::get<Storage<int64_t>>(elements);
  }
  llvm::MutableArrayRef<double> mutableFloats();
  llvm::MutableArrayRef<int64_t> mutableIntegers();

  /// Element `index` in row-major order as a number, whatever the element type.
  double getAsDouble(int64_t index) const;

  /// Calls `function` with the elements, `ArrayRef<double>` or
  /// `ArrayRef<int64_t>`.
  template <typename Function> decltype(auto) visit(Function function) const {
    return isFloat() ? function(floats()) : function(integers());
  }

  /// The same elements under another type with the same kind of storage and
  /// number of elements; shares them.
  HostTensor withType(mlir::RankedTensorType newType) const;

  /// Every float rounded to the nearest value of the element type (the identity
  /// on integers and f64).
  HostTensor rounded() const;

  /// As an attribute of the tensor's type, floats rounded to it; a splat where
  /// all elements have the same bits.
  mlir::DenseElementsAttr toAttribute() const;

private:
  template <typename T> using Storage = std::shared_ptr<std::vector<T>>;

  mlir::RankedTensorType type;
  std::variant<Storage<double>, Storage<int64_t>> elements;
};

/// `value` rounded to a float type: to the nearest value of f64, f32, bf16 and
/// f16, and as `accel.cast` does to 8 bits.
double roundToElementType(double value, mlir::Type elementType);

/// `value` reduced to the width of `elementType` in two's complement (i64, i32;
/// i1 keeps the lowest bit, ui8 the lowest eight).
int64_t wrapToElementType(int64_t value, mlir::Type elementType);

/// Row-major strides of `shape`, in elements.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace accel

#endif
