// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing, as text or as JSON.
#include "compiler/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace accel {
namespace {

StringRef getLabel(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are listed");
}

} // namespace

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::raw_ostream &stream, StringRef model,
                                     DiagnosticsStyle style)
    : stream(stream), model(model.str()), style(style),
      handler(&context, [this](Diagnostic &diagnostic) { print(diagnostic); }) {
}

void DiagnosticPrinter::printText(DiagnosticSeverity severity,
                                  const llvm::Twine &text,
                                  const ErrorInfo *info, const Place &place) {
  bool isError = severity == DiagnosticSeverity::Error;
  errors += isError ? 1 : 0;
  if (isError && style.problems) {
    // What is printed begins with the model.
    std::string sentence = text.str();
    StringRef rest = sentence;
    rest.consume_front(model + ": ");
    return style.problems->add(info, rest, place);
  }
  if (style.json) {
    llvm::json::Object object{{"severity", getLabel(severity).str()},
                              {"message", text.str()},
                              {"model", model}};
    if (info) {
      object["code"] = info->name.str();
      object["remedy"] = info->remedy.str();
    }
    if (!place.isEmpty()) {
      object["place"] = place.toJson();
    }
    stream << llvm::json::Value(std::move(object)) << "\n";
    return;
  }
  stream << getLabel(severity) << ": " << text;
  if (info) {
    stream << " [" << info->name << "]";
  }
  stream << "\n";
  if (!place.isEmpty()) {
    stream << "  at " << describePlace(place, model) << "\n";
  }
}

const ErrorInfo *DiagnosticPrinter::codeOf(Diagnostic &diagnostic) const {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error) {
    return nullptr;
  }
  const ErrorInfo *info = getCode(diagnostic);
  return info || !defaultCode ? info : &getErrorInfo(*defaultCode);
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  if (style.quiet && diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    return;
  }
  printText(diagnostic.getSeverity(), diagnostic.str(), codeOf(diagnostic),
            readPlace(diagnostic.getLocation(), model));
  for (Diagnostic &note : diagnostic.getNotes()) {
    print(note);
  }
}

void DiagnosticPrinter::print(const onnx::ImportNotes &notes) {
  for (const onnx::ImportNote &note : notes) {
    bool isWarning = note.severity == onnx::ImportNote::Severity::Warning;
    if (isWarning || !style.quiet) {
      printText(isWarning ? DiagnosticSeverity::Warning
                          : DiagnosticSeverity::Remark,
                onnx::toString(note));
    }
  }
}

void DiagnosticPrinter::printError(const llvm::Twine &text,
                                   std::optional<ErrorCode> code) {
  printText(DiagnosticSeverity::Error, text,
            code ? &getErrorInfo(*code) : nullptr);
}

} // namespace accel
