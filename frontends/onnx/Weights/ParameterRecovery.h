// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the model's parameters among a file's initializers and undoes what
// exporters do to them: Linear weights folded into transposed constants,
// position tables folded into their rows, other weights into what the model
// makes of them, equal tensors merged, zero biases deleted.
//
//   before:  LayerNormalization(x, h.0.ln_1.weight, ..)   fx_node:
//   layer_norm(%x, .., %p_h_0_ln_2_weight, ..) after:   LayerNormalization(x,
//   h.0.ln_2.weight, ..)   and an initializer of that name, valued as
//   h.0.ln_1.weight
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_PARAMETERRECOVERY_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_PARAMETERRECOVERY_H

#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace accel::onnx {

/// How a tensor follows from the parameter that the exporter computed it from.
/// All elements are there, in the parameter's order.
struct Folding {
  std::vector<int64_t> shape; ///< of the parameter
  double shift = 0.0;         ///< the tensor is the parameter plus this
};

/// An initializer of the rewritten graph that holds a parameter.
struct RecoveredParameter {
  enum class Kind {
    Plain,      ///< the parameter itself
    Transposed, ///< its transpose
    TableRows,  ///< the rows of it that the model reads, behind dimensions of
                ///< size 1
    Reshaped,   ///< the parameter in another shape
    Shifted,    ///< the parameter plus a number
    Untied,     ///< the parameter, merged by the exporter with `source`
    Recreated   ///< deleted by the exporter because it was zero
  };
  Kind kind = Kind::Plain;
  std::string initializer;
  std::string parameter; ///< state-dict name
  std::string source; ///< the initializer of the file that has the value; empty
                      ///< if recreated
  bool transposed =
      false; ///< the initializer holds the transpose (also of an untied one)
  /// How `source` follows from the parameter, where both differ in more than
  /// that (also of an untied one). The parameter is an initializer then, and
  /// nodes compute what stood in the file.
  std::optional<Folding> folding = std::nullopt;
  /// Uses name the FX node that was folded, not the parameter.
  bool isNamedByNode = false;
};

/// By the name of a node's first output the inputs that the program detaches.
using DetachedInputs = llvm::StringMap<llvm::SmallVector<int, 2>>;

struct Recovery {
  /// Whether the origin of every weight is known. One without lies among the
  /// constants.
  bool isComplete = true;
  /// In the order of the exported program where it is recorded, else of the
  /// file. Several initializers may hold one parameter.
  std::vector<RecoveredParameter> parameters;
  llvm::StringMap<size_t> byInitializer; ///< index in `parameters`
  /// What sends no gradient to whoever made it.
  DetachedInputs detached;
  /// Sources that are not in the graph any more, because nodes compute them.
  std::vector<pb::TensorProto> folded;

  const RecoveredParameter *find(llvm::StringRef initializer) const {
    auto found = byInitializer.find(initializer);
    return found == byInitializer.end() ? nullptr : &parameters[found->second];
  }
};

/// Rewrites `graph`: untied and re-created parameters become initializers
/// (without data) and their consumers read them. One error lists all weights
/// whose origin the file does not tell; the result is not complete then.
/// Running statistics of batch norms are among the parameters.
/// Of a model that infers, every weight is a parameter of the initializer's
/// name, and nothing is rewritten.
Recovery recoverParameters(pb::GraphProto &graph, llvm::StringRef path,
                           const ImportOptions &options,
                           mlir::MLIRContext &context, ImportNotes &notes);

} // namespace accel::onnx

#endif
