// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PyTorch's exporter writes beside the graph, read back from its text: FX
// nodes, module scopes, tracebacks, the signature of the exported program and
// what constants were folded from. All of it is optional and none of it is
// trusted.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_METADATA_H
#define ACCEL_FRONTENDS_ONNX_MODEL_METADATA_H

#include "frontends/onnx/Model/Schema.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VersionTuple.h"

#include <optional>
#include <string>
#include <vector>

namespace accel::onnx {

using Properties =
    google::protobuf::RepeatedPtrField<pb::StringStringEntryProto>;

/// The value of `key`, empty if absent.
llvm::StringRef findProperty(const Properties &properties, llvm::StringRef key);

/// The strings of a Python list of strings, as printed by repr(): ['a', "b'c"].
llvm::SmallVector<std::string> parseStringList(llvm::StringRef text);

/// The version (2.14) of the PyTorch that exported the file, whose gradients
/// are meant, or 0 if the file does not say; none if another program wrote it.
std::optional<llvm::VersionTuple>
getPytorchVersion(const pb::ModelProto &model);

/// A call of an ATen operator, as `pkg.torch.onnx.fx_node` shows it. Borrows:
/// the property's text.
struct FxCall {
  llvm::StringRef name;          ///< of the FX node, without '%'
  llvm::StringRef target;        ///< e.g. `aten.addmm.default`
  std::optional<unsigned> users; ///< how many calls name it
  llvm::SmallVector<llvm::StringRef>
      arguments; ///< e.g. `%p_wte_weight`, `0.1`, `[2, 3]`
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> keywords;

  /// Whether the operator is aten.NAME, in whichever overload.
  bool isAten(llvm::StringRef operatorName) const;
  /// Whether it is one of several.
  bool isAten(llvm::ArrayRef<llvm::StringRef> operatorNames) const;
  /// Argument `index`, or that of the keyword `keyword`, without quotes; empty:
  /// none.
  llvm::StringRef getArgument(size_t index, llvm::StringRef keyword) const;
  /// The values that arguments are or hold, with their '%'.
  llvm::SmallVector<llvm::StringRef> getValues() const;
};

/// Parses such a text; none if it is not the call of an operator.
std::optional<FxCall> parseFxCall(llvm::StringRef text);
std::optional<FxCall> getFxCall(const pb::NodeProto &node);

/// A line of Python.
struct PythonFrame {
  llvm::StringRef file;
  unsigned line = 0;
};

/// The innermost frame of the user's own code: outside of site-packages if
/// there is one, else outside of torch, else the innermost. Frames stand
/// outermost first. Borrows: `traceback`.
std::optional<PythonFrame> findUserFrame(llvm::StringRef traceback);
std::optional<PythonFrame> findUserFrame(const pb::NodeProto &node);

/// The innermost frame of a node's traceback with the text of its line; empty
/// if the file has none. Borrows: the property's text.
llvm::StringRef findInnermostLine(const pb::NodeProto &node);

/// The module in which a node was made (`transformer.h.0.attn`), empty if
/// unknown or the model itself.
std::string getModuleScope(const pb::NodeProto &node);

/// The signature of the exported program: what its placeholders
/// (`p_wte_weight`) are in the state dict (`wte.weight`).
class GraphSignature {
public:
  static GraphSignature parse(const pb::GraphProto &graph);

  bool empty() const { return parameters.empty() && buffers.empty(); }
  /// The state-dict name of the parameter that the FX argument `%p_...` names;
  /// empty if it is none.
  llvm::StringRef findParameter(llvm::StringRef argument) const;
  /// That of the buffer that the FX argument `%b_...` names.
  llvm::StringRef findBuffer(llvm::StringRef argument) const;
  /// Position of the parameter of this state-dict name in the signature, or
  /// none.
  std::optional<size_t> findParameterIndex(llvm::StringRef target) const;
  bool isParameter(llvm::StringRef target) const {
    return findParameterIndex(target).has_value();
  }
  bool isBuffer(llvm::StringRef target) const;
  /// State-dict names of the buffers that the program changes.
  llvm::ArrayRef<std::string> getChangedBuffers() const {
    return changedBuffers;
  }
  /// The FX nodes that the program returns to its caller.
  llvm::ArrayRef<std::string> getResults() const { return results; }
  /// State-dict names of all parameters, in the order of the signature.
  llvm::SmallVector<llvm::StringRef> getParameters() const;

private:
  llvm::StringMap<std::string> parameters; ///< placeholder to state-dict name
  llvm::StringMap<size_t> parameterIndices;
  llvm::StringMap<std::string> bufferPlaceholders;
  llvm::StringSet<> buffers;
  std::vector<std::string> changedBuffers, results;
};

} // namespace accel::onnx

#endif
