// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As text, and as one object of JSON.
#include "compiler/CheckReport.h"

#include "compiler/ModelFacts.h"
#include "runtime/text/printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace accel {

static void printFacts(const ModelFacts &facts, llvm::StringRef model,
                       llvm::raw_ostream &output) {
  output << runtime::Printable(model.str())
         << ": nothing keeps it from training: "
         << runtime::Printable(facts.objective) << ", "
         << facts.parameters.tensors
         << (facts.parameters.tensors == 1 ? " parameter" : " parameters");
  if (facts.frozen.tensors > 0) {
    output << ", of which " << facts.frozen.tensors
           << (facts.frozen.tensors == 1 ? " is frozen" : " are frozen");
  }
  output << ", microbatches of " << facts.batch << "\n";
}

void printCheck(const Problems &problems, ModuleOp module,
                const CompilerOptions &options, llvm::raw_ostream &output) {
  using Format = DiagnosticsStyle::Format;
  bool trains = problems.empty();
  switch (options.diagnostics.format) {
  case Format::Sarif:
    return;
  case Format::Json: {
    llvm::json::Object object{{"model", options.model},
                              {"trains", trains},
                              {"problems", problems.toJson()}};
    output << llvm::formatv("{0:2}", llvm::json::Value(std::move(object)))
           << "\n";
    return;
  }
  case Format::Text:
    if (trains) {
      printFacts(readFacts(module), options.model, output);
    } else {
      problems.print(output, options.model);
    }
  }
}

} // namespace accel
