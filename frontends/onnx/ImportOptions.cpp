// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each error says what the option takes.
#include "frontends/onnx/ImportOptions.h"

#include "llvm/Support/Path.h"

namespace accel::onnx {
llvm::StringRef getModelName(llvm::StringRef path) {
  return path == standardInput ? "model" : llvm::sys::path::stem(path);
}

llvm::Expected<InitPolicy> InitPolicy::parse(llvm::StringRef text) {
  InitPolicy policy;
  if (text == "gpt2") {
    return policy;
  }
  llvm::StringRef number = text;
  policy.kind = Kind::Normal;
  if (!number.consume_front("normal:") ||
      number.getAsDouble(policy.deviation) ||
      !(policy.deviation > 0.0 && policy.deviation < 1e30)) {
    return llvm::createStringError(
        "expected --init=gpt2 or --init=normal:STD with a "
        "positive STD, e.g. --init=normal:0.02, got '" +
        text + "'");
  }
  return policy;
}

llvm::Expected<DropoutPolicy> DropoutPolicy::parse(llvm::StringRef text) {
  DropoutPolicy policy;
  if (text == "model") {
    return policy;
  }
  if (text == "off") {
    policy.kind = Kind::Off;
    return policy;
  }
  policy.kind = Kind::Probability;
  if (text.getAsDouble(policy.probability) ||
      !(policy.probability >= 0.0 && policy.probability < 1.0)) {
    return llvm::createStringError(
        "expected --dropout=model, --dropout=off or a probability "
        "below 1, e.g. --dropout=0.1, got '" +
        text + "'");
  }
  return policy;
}

llvm::Expected<BatchNormPolicy> parseBatchNorm(llvm::StringRef text) {
  if (text == "microbatch") {
    return BatchNormPolicy::Microbatch;
  }
  if (text == "sync") {
    return BatchNormPolicy::Synchronized;
  }
  if (text == "frozen") {
    return BatchNormPolicy::Frozen;
  }
  return llvm::createStringError(
      "expected --batch-norm=microbatch, --batch-norm=sync or "
      "--batch-norm=frozen, got '" +
      text + "'");
}

llvm::Expected<std::pair<std::string, int64_t>>
parseDimension(llvm::StringRef text, int64_t least) {
  auto [name, value] = text.rsplit('=');
  int64_t size = 0;
  if (name.empty() || value.getAsInteger(10, size) || size < least ||
      size > (int64_t(1) << 31)) {
    return llvm::createStringError(
        llvm::Twine("expected --dim NAME=SIZE with a ") +
        (least > 0 ? "positive size" : "size of at least 0") +
        ", e.g. --dim batch=8, got '" + text + "'");
  }
  return std::pair(name.str(), size);
}

llvm::Expected<std::pair<std::string, std::optional<int64_t>>>
parsePaddingRow(llvm::StringRef text) {
  auto [name, value] = text.rsplit('=');
  std::optional<int64_t> row;
  int64_t number = 0;
  bool isNone = value == "none";
  if (name.empty() ||
      (!isNone && (value.getAsInteger(10, number) || number < 0))) {
    return llvm::createStringError(
        "expected --padding-row NAME=ROW with a row of the "
        "embedding, counted from 0, or NAME=none, e.g. "
        "--padding-row embedding.weight=0, got '" +
        text + "'");
  }
  if (!isNone) {
    row = number;
  }
  return std::pair(name.str(), row);
}

} // namespace accel::onnx
