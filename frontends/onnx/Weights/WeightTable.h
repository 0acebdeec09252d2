// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of the model's parameters lie. They are named in the IR
// (`initial = {kind = "file", key = "..."}`) and read only when the plan is
// written, one at a time.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_WEIGHTTABLE_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_WEIGHTTABLE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace accel::onnx {

/// A run of bytes of the model: inside the ONNX file (then shared by all who
/// use it) or in an external data file.
struct TensorBytes {
  std::shared_ptr<const std::string> contents; ///< null if external
  std::string folder;   ///< of the ONNX file, as the user wrote it
  std::string location; ///< relative to `folder`
  uint64_t offset = 0;
  uint64_t length = 0;

  bool isExternal() const { return contents == nullptr; }

  /// The bytes. An external file is opened again under all checks of
  /// ExternalData.h and mapped, not copied.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read() const;
};

/// The value of one parameter.
struct WeightEntry {
  mlir::RankedTensorType type; ///< of the parameter, in its own orientation
  TensorBytes bytes; ///< little-endian, row-major; as many elements as `type`
  bool transposed = false; ///< the bytes are those of the transpose (rank 2)
  double shift = 0.0;      ///< the bytes are those of the value plus this (f32)

  /// Whether the value is the bytes, in whichever order.
  bool isVerbatim() const { return shift == 0.0; }
};

/// All of them, by key, in the order of insertion.
class WeightTable {
public:
  /// Requires: no entry of this key.
  void insert(llvm::StringRef key, WeightEntry entry);
  const WeightEntry *find(llvm::StringRef key) const;
  const std::vector<std::string> &getKeys() const { return keys; }
  bool empty() const { return keys.empty(); }

  /// The parameter's value, row-major in the orientation of its type.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(llvm::StringRef key) const;

private:
  std::vector<std::string> keys;
  llvm::StringMap<WeightEntry> entries;
};

} // namespace accel::onnx

#endif
