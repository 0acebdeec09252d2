// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each initializer of a file is: a parameter, something folded from one,
// or a constant.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_INITIALIZERROLES_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_INITIALIZERROLES_H

#include "frontends/onnx/Model/Metadata.h"
#include "frontends/onnx/Weights/ParameterRecovery.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace accel::onnx {

/// Whether all numbers of an initializer are 1.
using OneTest = std::function<bool(const pb::TensorProto &)>;

/// The graph's initializers and who uses them. Borrows: the graph, which must
/// not change, and what `holdsOne` captures.
class GraphIndex {
public:
  GraphIndex(const pb::GraphProto &graph, OneTest holdsOne);

  struct Use {
    const pb::NodeProto *node;
    int input;
  };

  const pb::TensorProto *findInitializer(llvm::StringRef name) const {
    return initializers.lookup(name);
  }
  llvm::ArrayRef<Use> getUses(llvm::StringRef name) const;
  /// Whether this is a running statistic of a batch norm.
  bool isStatistic(llvm::StringRef name) const;
  /// Metadata of a value, empty if it has none.
  llvm::StringRef getValueProperty(llvm::StringRef name,
                                   llvm::StringRef key) const;
  /// What the exporter computed a value from, empty if it did not.
  llvm::SmallVector<std::string> getOrigins(llvm::StringRef name) const;
  /// Whether the file shows that the constant `name`, which was folded and need
  /// not be there any more, is the number 1: it is there, or another one was
  /// computed from it alone.
  bool isOne(llvm::StringRef name) const;

private:
  OneTest holdsOne;
  llvm::StringMap<const pb::TensorProto *> initializers;
  llvm::StringMap<llvm::SmallVector<Use, 2>> uses;
  llvm::StringMap<const Properties *> properties;
  llvm::StringMap<const pb::TensorProto *>
      copies; ///< of constants: what was computed from each alone
};

/// The verdict on an initializer.
struct InitializerRole {
  enum class Role {
    Constant,
    Parameter,  ///< `parameter` says which and how
    Untraceable ///< holds weights, but the file does not tell whose;
                ///< `parameter.source` lists what it was folded from
  };
  Role role = Role::Constant;
  RecoveredParameter parameter;
};

/// Decides from, in this order: the kind recorded by torch.export, the exported
/// program's signature, what the value was folded from, and - in files without
/// any of these - name, type and use.
InitializerRole classifyInitializer(const pb::TensorProto &tensor,
                                    const GraphIndex &index,
                                    const GraphSignature &signature);

/// The parameter that the exported program passes where `node` has input
/// `input`; empty if it does not say. `mergedName` is the parameter found
/// there, if any.
std::string findExpectedParameter(const pb::NodeProto &node, int input,
                                  llvm::StringRef mergedName,
                                  const GraphSignature &signature);

/// `onnx::MatMul_440`: the name that TorchScript gives to constants that it
/// computed of parameters and buffers.
bool isAnonymous(llvm::StringRef name);

bool isFloatTensor(const pb::TensorProto &tensor);

} // namespace accel::onnx

#endif
