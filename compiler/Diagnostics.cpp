// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is shown, in which of the formats.
#include "compiler/Diagnostics.h"

#include "compiler/DiagnosticText.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace accel {

using Format = DiagnosticsStyle::Format;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::raw_ostream &stream, StringRef model,
                                     const DiagnosticsStyle &style,
                                     Problems *problems)
    : stream(stream), model(model.str()), style(style), problems(problems),
      log(model),
      handler(&context, [this](Diagnostic &diagnostic) { print(diagnostic); }) {
}

bool DiagnosticPrinter::isIgnored(const ErrorInfo *info) const {
  return info && llvm::is_contained(style.ignored, info->code);
}

void DiagnosticPrinter::writeJson(DiagnosticSeverity severity, StringRef text,
                                  const ErrorInfo *info, const Place &place) {
  llvm::json::Object object{{"severity", getLabel(severity).str()},
                            {"message", text.str()},
                            {"model", model}};
  if (info) {
    object["code"] = info->code.name.str();
    object["remedy"] = info->remedy.str();
  }
  if (!place.isEmpty()) {
    object["place"] = place.toJson();
  }
  stream << llvm::json::Value(std::move(object)) << "\n";
}

void DiagnosticPrinter::write(DiagnosticSeverity severity, StringRef text,
                              const ErrorInfo *info, bool wasWarning,
                              const Place &place) {
  switch (style.format) {
  case Format::Sarif:
    return log.add(severity, text, info, place);
  case Format::Json:
    return writeJson(severity, text, info, place);
  case Format::Text:
    std::string code = info ? info->code.name.str() : "";
    code += wasWarning ? ", -Werror" : "";
    return printAsText(stream, style, severity, text, code,
                       describePlace(place, model));
  }
}

void DiagnosticPrinter::show(DiagnosticSeverity severity,
                             const llvm::Twine &text, const ErrorInfo *info,
                             const Place &place) {
  bool isWarning = severity == DiagnosticSeverity::Warning;
  if (isWarning && isIgnored(info)) {
    return;
  }
  bool isPromoted = isWarning && style.warningsAsErrors;
  severity = isPromoted ? DiagnosticSeverity::Error : severity;
  bool isError = severity == DiagnosticSeverity::Error;
  if (isError && errors++ == 0 && info) {
    firstCode = info->code;
  }
  std::string sentence = text.str();
  if (isError && problems) {
    // What is printed begins with the model.
    StringRef rest = sentence;
    rest.consume_front(model + ": ");
    problems->add(info, rest, place);
  }
  if (!isError || !problems || style.format == Format::Sarif) {
    write(severity, sentence, info, isPromoted, place);
  }
}

/// Of an error that is a problem of a check nothing more is said.
void DiagnosticPrinter::showNote(Diagnostic &note) {
  Place place = readPlace(note.getLocation(), model);
  if (style.format == Format::Sarif) {
    return log.addNote(note.str(), place);
  }
  write(DiagnosticSeverity::Note, note.str(), nullptr, false, place);
}

const ErrorInfo *DiagnosticPrinter::codeOf(Diagnostic &diagnostic) const {
  if (std::optional<StringRef> name = getCodeName(diagnostic)) {
    return findErrorInfo(*name);
  }
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  return isError && defaultCode ? &getErrorInfo(*defaultCode) : nullptr;
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  const ErrorInfo *info = codeOf(diagnostic);
  if ((style.quiet && diagnostic.getSeverity() == DiagnosticSeverity::Remark) ||
      (diagnostic.getSeverity() == DiagnosticSeverity::Warning &&
       isIgnored(info))) {
    return;
  }
  show(diagnostic.getSeverity(), diagnostic.str(), info,
       readPlace(diagnostic.getLocation(), model));
  for (Diagnostic &note : diagnostic.getNotes()) {
    showNote(note);
  }
}

void DiagnosticPrinter::print(const onnx::ImportNotes &notes, bool remarks) {
  for (const onnx::ImportNote &note : notes) {
    if (note.severity == onnx::ImportNote::Severity::Warning) {
      show(DiagnosticSeverity::Warning, onnx::toString(note),
           note.code ? &getErrorInfo(*note.code) : nullptr);
    } else if (remarks && !style.quiet) {
      show(DiagnosticSeverity::Remark, onnx::toString(note));
    }
  }
}

void DiagnosticPrinter::printWarning(const llvm::Twine &text,
                                     std::optional<ErrorCode> code) {
  show(DiagnosticSeverity::Warning, text,
       code ? &getErrorInfo(*code) : nullptr);
}

void DiagnosticPrinter::printError(const llvm::Twine &text,
                                   std::optional<ErrorCode> code) {
  show(DiagnosticSeverity::Error, text, code ? &getErrorInfo(*code) : nullptr);
}

} // namespace accel
