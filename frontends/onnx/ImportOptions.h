// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user may choose about an import, and the parsing of those choices
// from the command line's text.
#ifndef ACCEL_FRONTENDS_ONNX_IMPORTOPTIONS_H
#define ACCEL_FRONTENDS_ONNX_IMPORTOPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accel::onnx {

/// The path that means standard input.
constexpr llvm::StringLiteral standardInput = "-";

/// What a model is called in the IR and in a plan.
llvm::StringRef getModelName(llvm::StringRef path);

/// How parameters begin if not with the file's values (`--init`).
struct InitPolicy {
  enum class Kind { Gpt2, Normal };
  Kind kind = Kind::Gpt2;
  double deviation = 0.02;

  /// `gpt2` or `normal:STD`.
  static llvm::Expected<InitPolicy> parse(llvm::StringRef text);
};

/// Which dropout is trained with (`--dropout`).
struct DropoutPolicy {
  enum class Kind { Model, Off, Probability };
  Kind kind = Kind::Model;
  double probability = 0.0;

  /// `model`, `off`, or a probability in [0, 1).
  static llvm::Expected<DropoutPolicy> parse(llvm::StringRef text);

  /// The probability of a site that has `model` in the file.
  double apply(double model) const {
    return kind == Kind::Off ? 0.0 : kind == Kind::Model ? model : probability;
  }
};

/// What batch norms normalise with (`--batch-norm`).
enum class BatchNormPolicy {
  Microbatch,  ///< the statistics of a microbatch, if the model trains
  Frozen,      ///< the running statistics, which stay as they are in the file
  Synchronized ///< those of the microbatches of all ranks together
};

/// `microbatch`, `frozen` or `sync`.
llvm::Expected<BatchNormPolicy> parseBatchNorm(llvm::StringRef text);

/// The value of a `--dim NAME=VALUE`, of at least `least`, which is 1 or 0.
llvm::Expected<std::pair<std::string, int64_t>>
parseDimension(llvm::StringRef text, int64_t least = 1);

/// The value of a `--padding-row NAME=ROW|none`.
llvm::Expected<std::pair<std::string, std::optional<int64_t>>>
parsePaddingRow(llvm::StringRef text);

/// The value that an input has in every run (`--bind`).
struct BoundTensor {
  std::string name;        ///< of the input
  std::string elementType; ///< as the runtime calls it: f32, i64, bool
  std::vector<int64_t> shape;
  std::string bytes; ///< row by row, little endian
};

/// A tensor of the file that `--params` names.
struct SavedTensor {
  std::string elementType; ///< as the runtime calls it
  std::vector<int64_t> shape;
  /// Its bytes, row by row, little endian.
  std::function<llvm::Expected<std::string>()> read;
};

/// A state dict, as PyTorch's user saved it.
struct SavedParameters {
  std::string path; ///< for messages
  std::map<std::string, SavedTensor> tensors;
};

struct ImportOptions {
  /// The model is to answer, not to train: inputs need no batch, weights are
  /// taken as they lie, dropout does nothing, and batch norms keep their
  /// statistics.
  bool infers = false;
  std::vector<BoundTensor> bound;
  /// The sizes of symbolic dimensions by their name in the file or alias
  /// (`batch`, `seq`).
  std::map<std::string, int64_t> dimensions;
  /// The parameters that the model was exported with, if the user gives them:
  /// what the exporter computed of them is computed of them again.
  std::optional<SavedParameters> saved;
  /// If set, every trainable parameter begins by this policy, whether or not
  /// the file has its value.
  std::optional<InitPolicy> init;
  DropoutPolicy dropout;
  BatchNormPolicy batchNorm = BatchNormPolicy::Microbatch;
  /// By the name of an embedding's parameter the row that its lookups do not
  /// train, or none; what is not in here is as the file says.
  std::map<std::string, std::optional<int64_t>> paddingRows;
  /// After an error goes on to look for others, as far as that makes sense; the
  /// import fails all the same.
  bool keepsGoing = false;
};

} // namespace accel::onnx

#endif
