// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// onnx-import-test MODEL.onnx [--dim=NAME=SIZE] [--init=POLICY]
//                  [--dropout=POLICY] [--locations] [--full] [--values]
//                  [--quiet] [--export=FILE]
// Imports a model and prints the notes for the user, then the module, large
// constants elided unless `--full`. `--values` prints where each weight lies
// and its first values; `--export` writes the model back with the weights that
// it came with.
#include "frontends/onnx/ImportOnnx.h"

#include "dialects/Accel/IR/AccelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace accel::onnx;

namespace {

struct Arguments {
  std::string model, exportTo;
  ImportOptions options;
  bool locations = false, full = false, values = false, quiet = false;
};

template <typename T> bool take(llvm::Expected<T> value, T &target) {
  if (!value) {
    llvm::errs() << "error: " << llvm::toString(value.takeError()) << "\n";
    return false;
  }
  target = std::move(*value);
  return true;
}

bool parseArgument(llvm::StringRef argument, Arguments &arguments) {
  if (argument.consume_front("--dim=")) {
    std::pair<std::string, int64_t> dimension;
    return take(parseDimension(argument), dimension) &&
           arguments.options.dimensions.insert(dimension).second;
  }
  if (argument.consume_front("--init=")) {
    return take(InitPolicy::parse(argument), arguments.options.init.emplace());
  }
  if (argument.consume_front("--dropout=")) {
    return take(DropoutPolicy::parse(argument), arguments.options.dropout);
  }
  if (argument.consume_front("--export=")) {
    arguments.exportTo = argument.str();
    return true;
  }
  arguments.locations |= argument == "--locations";
  arguments.full |= argument == "--full";
  arguments.values |= argument == "--values";
  arguments.quiet |= argument == "--quiet";
  if (!argument.starts_with("--")) {
    arguments.model = argument.str();
  }
  return true;
}

void printValues(const WeightTable &weights) {
  for (const std::string &key : weights.getKeys()) {
    const WeightEntry &entry = *weights.find(key);
    auto bytes = llvm::cantFail(weights.read(key));
    llvm::outs() << key << " " << entry.type
                 << (entry.transposed ? " transposed" : "") << " "
                 << (entry.bytes.isExternal()
                         ? entry.bytes.location + "+" +
                               std::to_string(entry.bytes.offset)
                         : "inside")
                 << ":";
    for (size_t i = 0; i < 4 && 4 * i < bytes->getBufferSize(); ++i) {
      float value;
      std::memcpy(&value, bytes->getBufferStart() + 4 * i, 4);
      llvm::outs() << llvm::format(" %.6g", value);
    }
    llvm::outs() << "\n";
  }
}

/// The transpose of the transpose is read from a table of its own.
std::string getExportedData(const WeightTable &weights,
                            const ExportTensor &tensor) {
  const WeightEntry *entry = weights.find(tensor.parameter);
  if (!entry) {
    size_t elements = 1;
    for (int64_t dim : tensor.dims) {
      elements *= static_cast<size_t>(dim);
    }
    return std::string(elements * 4, '\0');
  }
  auto own = llvm::cantFail(weights.read(tensor.parameter));
  WeightEntry copy{entry->type, {}, tensor.transposed};
  if (tensor.transposed) {
    copy.type = entry->type.clone(
        {entry->type.getDimSize(1), entry->type.getDimSize(0)});
  }
  copy.bytes.contents =
      std::make_shared<const std::string>(own->getBuffer().str());
  copy.bytes.length = own->getBufferSize();
  WeightTable table;
  table.insert("", copy);
  return llvm::cantFail(table.read(""))->getBuffer().str();
}

bool exportModel(const ImportedModel &model, llvm::StringRef path) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  file << writeExportTemplate(model.exportTemplate,
                              [&](const ExportTensor &tensor) {
                                return getExportedData(model.weights, tensor);
                              });
  return !code;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  for (char *argument : llvm::drop_begin(llvm::ArrayRef(argv, argc))) {
    if (!parseArgument(argument, arguments)) {
      return 1;
    }
  }
  mlir::MLIRContext context;
  auto model = importOnnx(arguments.model, arguments.options, context);
  if (mlir::failed(model)) {
    return 1;
  }
  for (const ImportNote &note : model->notes) {
    llvm::outs() << (note.severity == ImportNote::Severity::Warning
                         ? "warning: "
                         : "remark: ")
                 << toString(note) << "\n";
  }
  if (arguments.values) {
    printValues(model->weights);
  }
  if (!arguments.quiet) {
    mlir::OpPrintingFlags flags;
    flags.enableDebugInfo(arguments.locations);
    if (!arguments.full) {
      flags.elideLargeElementsAttrs(16);
    }
    model->module->print(llvm::outs(), flags);
  }
  return arguments.exportTo.empty() || exportModel(*model, arguments.exportTo)
             ? 0
             : 1;
}
