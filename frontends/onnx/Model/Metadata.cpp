// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small hand-written parsers of the exporter's texts. Each stops quietly at the
// first thing that it does not expect.
#include "frontends/onnx/Model/Metadata.h"

#include "llvm/ADT/StringExtras.h"

namespace accel::onnx {
namespace {

/// Takes the text up to the bracket that closes an already opened one; the rest
/// begins after it.
llvm::StringRef takeBracketed(llvm::StringRef &rest) {
  int depth = 1;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (llvm::StringRef("([{").contains(rest[i])) {
      ++depth;
    } else if (llvm::StringRef(")]}").contains(rest[i]) && --depth == 0) {
      llvm::StringRef inside = rest.take_front(i);
      rest = rest.drop_front(i + 1);
      return inside;
    }
  }
  llvm::StringRef inside = rest;
  rest = {};
  return inside;
}

/// Splits at commas outside of brackets.
llvm::SmallVector<llvm::StringRef> splitArguments(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      llvm::StringRef part = text.slice(start, i).trim();
      if (!part.empty()) {
        parts.push_back(part);
      }
      start = i + 1;
    } else if (llvm::StringRef("([{").contains(text[i])) {
      ++depth;
    } else if (llvm::StringRef(")]}").contains(text[i])) {
      --depth;
    }
  }
  return parts;
}

} // namespace

std::optional<llvm::VersionTuple>
getPytorchVersion(const pb::ModelProto &model) {
  if (model.producer_name() != "pytorch") {
    return std::nullopt;
  }
  // 2.14.1+cu130, 2.15.0a0+git1234: the number behind the second dot may have
  // letters, and says nothing here.
  auto [major, rest] = llvm::StringRef(model.producer_version()).split('.');
  llvm::VersionTuple version;
  return version.tryParse((major + "." + rest.split('.').first).str())
             ? llvm::VersionTuple()
             : version;
}

llvm::StringRef findProperty(const Properties &properties,
                             llvm::StringRef key) {
  for (const pb::StringStringEntryProto &entry : properties) {
    if (key == entry.key()) {
      return entry.value();
    }
  }
  return {};
}

llvm::SmallVector<std::string> parseStringList(llvm::StringRef text) {
  llvm::SmallVector<std::string> strings;
  if (!text.consume_front("[")) {
    return strings;
  }
  while (true) {
    text = text.ltrim(" ,");
    if (text.empty() || (text.front() != '\'' && text.front() != '"')) {
      return strings;
    }
    char quote = text.front();
    std::string value;
    size_t i = 1;
    for (; i < text.size() && text[i] != quote; ++i) {
      i += text[i] == '\\' && i + 1 < text.size();
      value += text[i];
    }
    strings.push_back(std::move(value));
    text = text.drop_front(std::min(i + 1, text.size()));
  }
}

bool FxCall::isAten(llvm::StringRef operatorName) const {
  llvm::StringRef rest = target;
  return rest.consume_front("aten.") && rest.consume_front(operatorName) &&
         (rest.empty() || rest.front() == '.');
}

bool FxCall::isAten(llvm::ArrayRef<llvm::StringRef> operatorNames) const {
  return llvm::any_of(operatorNames,
                      [&](llvm::StringRef each) { return isAten(each); });
}

llvm::StringRef FxCall::getArgument(size_t index,
                                    llvm::StringRef keyword) const {
  llvm::StringRef text =
      arguments.size() > index ? arguments[index] : llvm::StringRef();
  for (auto [key, value] : keywords) {
    text = key.trim('\'') == keyword ? value : text;
  }
  return text.trim('\'');
}

llvm::SmallVector<llvm::StringRef> FxCall::getValues() const {
  auto isNamePart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  };
  llvm::SmallVector<llvm::StringRef> values;
  for (llvm::StringRef rest : arguments) {
    for (size_t at = rest.find('%'); at != llvm::StringRef::npos;
         at = rest.find('%')) {
      rest = rest.drop_front(at);
      size_t length = 1 + rest.drop_front().take_while(isNamePart).size();
      values.push_back(rest.take_front(length));
      rest = rest.drop_front(length);
    }
  }
  return values;
}

std::optional<FxCall> parseFxCall(llvm::StringRef text) {
  FxCall call;
  auto [head, tail] = text.split("call_function[target=");
  if (tail.empty()) {
    return std::nullopt;
  }
  call.name =
      head.ltrim().take_while([](char c) { return c != ' '; }).ltrim('%');
  unsigned users = 0;
  if (!head.split("[num_users=").second.consumeInteger(10, users)) {
    call.users = users;
  }
  std::tie(call.target, tail) = tail.split(']');
  call.target.consume_front("torch.ops.");
  if (!tail.consume_front("(args = (")) {
    return std::nullopt;
  }
  call.arguments = splitArguments(takeBracketed(tail));
  if (tail.consume_front(", kwargs = {")) {
    for (llvm::StringRef keyword : splitArguments(takeBracketed(tail))) {
      auto [key, value] = keyword.split(':');
      call.keywords.emplace_back(key.trim(), value.trim());
    }
  }
  return call;
}

std::optional<FxCall> getFxCall(const pb::NodeProto &node) {
  return parseFxCall(
      findProperty(node.metadata_props(), "pkg.torch.onnx.fx_node"));
}

std::optional<PythonFrame> findUserFrame(llvm::StringRef traceback) {
  std::optional<PythonFrame> best;
  int bestRank = 0;
  llvm::SmallVector<llvm::StringRef> lines;
  traceback.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.ltrim();
    if (!line.consume_front("File \"")) {
      continue;
    }
    auto [file, rest] = line.split('"');
    unsigned number = 0;
    if (!rest.consume_front(", line ") || rest.consumeInteger(10, number)) {
      continue;
    }
    bool torch =
        file.contains("/site-packages/torch/") || file.starts_with("torch/");
    int rank =
        torch ? 1
        : file.contains("site-packages/") || file.contains("dist-packages/")
            ? 2
            : 3;
    if (rank >= bestRank) {
      bestRank = rank;
      best = PythonFrame{file, number};
    }
  }
  return best;
}

std::optional<PythonFrame> findUserFrame(const pb::NodeProto &node) {
  return findUserFrame(
      findProperty(node.metadata_props(), "pkg.torch.onnx.stack_trace"));
}

llvm::StringRef findInnermostLine(const pb::NodeProto &node) {
  llvm::StringRef text =
      findProperty(node.metadata_props(), "pkg.torch.onnx.stack_trace");
  size_t start = text.rfind("File \"");
  return start == llvm::StringRef::npos ? llvm::StringRef()
                                        : text.substr(start);
}

std::string getModuleScope(const pb::NodeProto &node) {
  llvm::SmallVector<std::string> scopes = parseStringList(
      findProperty(node.metadata_props(), "pkg.torch.onnx.name_scopes"));
  // The last entry is the node itself.
  if (scopes.size() < 2 || llvm::StringRef(scopes[scopes.size() - 2])
                               .starts_with("_empty_nn_module_stack")) {
    return {};
  }
  return scopes[scopes.size() - 2];
}

GraphSignature GraphSignature::parse(const pb::GraphProto &graph) {
  GraphSignature signature;
  llvm::SmallVector<llvm::StringRef> lines;
  findProperty(graph.metadata_props(),
               "pkg.torch.export.ExportedProgram.graph_signature")
      .split(lines, '\n');
  for (llvm::StringRef line : lines) {
    auto [name, rest] = line.split(": ");
    llvm::StringRef kind =
        rest.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
    std::string target = rest.split("target='").second.split('\'').first.str();
    if (kind == "PARAMETER" && !target.empty()) {
      signature.parameterIndices.try_emplace(target,
                                             signature.parameterIndices.size());
      signature.parameters.try_emplace(name.trim(), target);
    } else if (kind == "BUFFER" && !target.empty()) {
      signature.buffers.insert(target);
      signature.bufferPlaceholders.try_emplace(name.trim(), target);
    } else if (kind == "BUFFER_MUTATION" && !target.empty()) {
      signature.changedBuffers.push_back(target);
    } else if (kind == "USER_OUTPUT") {
      signature.results.push_back(name.trim().str());
    }
  }
  return signature;
}

llvm::StringRef GraphSignature::findParameter(llvm::StringRef argument) const {
  if (!argument.consume_front("%")) {
    return {};
  }
  auto found = parameters.find(argument);
  return found == parameters.end() ? llvm::StringRef()
                                   : llvm::StringRef(found->second);
}

llvm::StringRef GraphSignature::findBuffer(llvm::StringRef argument) const {
  if (!argument.consume_front("%")) {
    return {};
  }
  auto found = bufferPlaceholders.find(argument);
  return found == bufferPlaceholders.end() ? llvm::StringRef()
                                           : llvm::StringRef(found->second);
}

std::optional<size_t>
GraphSignature::findParameterIndex(llvm::StringRef target) const {
  auto found = parameterIndices.find(target);
  return found == parameterIndices.end() ? std::nullopt
                                         : std::optional(found->second);
}

llvm::SmallVector<llvm::StringRef> GraphSignature::getParameters() const {
  llvm::SmallVector<llvm::StringRef> names(parameterIndices.size());
  for (const auto &entry : parameterIndices) {
    names[entry.second] = entry.first();
  }
  return names;
}

bool GraphSignature::isBuffer(llvm::StringRef target) const {
  return buffers.contains(target);
}

} // namespace accel::onnx
