// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables as text.
#include "compiler/Reference.h"

#include "compiler/ErrorCatalogue.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace accel {

using onnx::OperatorInfo;

static std::string describeInputs(const OperatorInfo &info) {
  if (info.maxInputs == onnx::anyNumber) {
    return std::to_string(info.minInputs) + " or more";
  }
  return info.minInputs == info.maxInputs
             ? std::to_string(info.minInputs)
             : llvm::formatv("{0} to {1}", info.minInputs, info.maxInputs)
                   .str();
}

/// Attributes that may have one value only are written NAME=VALUE.
static std::vector<std::string> listAttributes(const OperatorInfo &info) {
  std::vector<std::string> list;
  for (const onnx::AttributeInfo &attribute : onnx::getAttributes(info)) {
    list.push_back((attribute.name + (attribute.value.empty() ? "" : "=") +
                    attribute.value)
                       .str());
  }
  return list;
}

static void printOperatorsAsJson(llvm::raw_ostream &output) {
  llvm::json::Array array;
  for (const OperatorInfo &info : onnx::getOperators()) {
    llvm::json::Object object{
        {"name", info.name.str()},
        {"first_opset", info.firstOpset},
        {"last_opset", info.lastOpset},
        {"min_inputs", static_cast<int64_t>(info.minInputs)},
        {"attributes", listAttributes(info)}};
    if (!info.domain.empty()) {
      object["domain"] = info.domain.str();
    }
    if (info.maxInputs != onnx::anyNumber) {
      object["max_inputs"] = static_cast<int64_t>(info.maxInputs);
    }
    array.push_back(std::move(object));
  }
  output << llvm::formatv("{0:2}", llvm::json::Value(std::move(array))) << "\n";
}

void printOperators(llvm::raw_ostream &output, bool json) {
  if (json) {
    return printOperatorsAsJson(output);
  }
  output << llvm::formatv("{0,-26} {1,-8} {2,-10} {3}\n", "operator", "opsets",
                          "inputs", "attributes (NAME=VALUE: that value only)");
  for (const OperatorInfo &info : onnx::getOperators()) {
    std::string sets =
        llvm::formatv("{0}-{1}", info.firstOpset, info.lastOpset);
    std::string name =
        (info.domain + (info.domain.empty() ? "" : ":") + info.name).str();
    std::string row = llvm::formatv("{0,-26} {1,-8} {2,-10} {3}", name, sets,
                                    describeInputs(info),
                                    llvm::join(listAttributes(info), " "));
    output << llvm::StringRef(row).rtrim() << "\n";
  }
}

/// The words of `text` in lines of at most 80 characters.
static void printWrapped(llvm::raw_ostream &output, llvm::StringRef text) {
  constexpr size_t width = 80;
  size_t column = 0;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  for (llvm::StringRef word : words) {
    bool breaks = column > 0 && column + 1 + word.size() > width;
    if (column > 0) {
      output << (breaks ? "\n" : " ");
    }
    column = breaks ? word.size() : column + (column > 0) + word.size();
    output << word;
  }
  output << "\n";
}

bool explainCode(llvm::StringRef code, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages) {
  if (code == "all") {
    for (const ErrorInfo &info : getErrorCatalogue()) {
      output << info.code.name << "  " << info.code.title << "\n";
    }
    return true;
  }
  const ErrorInfo *info = findErrorInfo(code);
  if (!info) {
    messages << "error: --explain: expected a code such as ACCEL-E0203, got '"
             << code << "'; accelc --explain all lists them\n";
    return false;
  }
  output << info->code.name << ": " << info->code.title << "\n\n";
  printWrapped(output, info->explanation);
  output << "\n";
  printWrapped(output, ("What to do: " + info->remedy).str());
  return true;
}

} // namespace accel
