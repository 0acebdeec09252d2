// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading locations as the frontend makes them, and printing.
#include "compiler/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace accel {
namespace {

/// What a location says about the user's program.
struct Place {
  std::string node, scope, file;
  unsigned line = 0;
};

/// Of a location fused of several, the first one counts: it is that of the op
/// that the others were merged into.
void readPlace(Location location, Place &place) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](NameLoc name) {
        if (place.node.empty()) {
          place.node = name.getName().str();
        }
        readPlace(name.getChildLoc(), place);
      })
      .Case([&](FileLineColLoc file) {
        if (place.file.empty()) {
          place.file = file.getFilename().str();
          place.line = file.getLine();
        }
      })
      .Case([&](FusedLoc fused) {
        auto scope = dyn_cast_or_null<StringAttr>(fused.getMetadata());
        if (scope && place.scope.empty()) {
          place.scope = scope.getValue().str();
        }
        for (Location part : fused.getLocations()) {
          if (place.node.empty()) {
            readPlace(part, place);
          }
        }
      })
      .Case([&](CallSiteLoc call) { readPlace(call.getCallee(), place); });
}

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

std::string describePlace(Location location, StringRef model) {
  Place place;
  readPlace(location, place);
  bool isWholeModel =
      place.node == "forward" || place.node == llvm::sys::path::stem(model);
  if ((place.node.empty() && place.file.empty()) || isWholeModel) {
    return "";
  }
  llvm::SmallVector<std::string> inside;
  // A name that begins with a slash says the module itself.
  if (!place.scope.empty() && !StringRef(place.node).starts_with("/")) {
    inside.push_back(place.scope);
  }
  if (!place.file.empty()) {
    inside.push_back(place.file + ":" + std::to_string(place.line));
  }
  std::string text = llvm::sys::path::filename(model).str() + ":";
  if (!place.node.empty()) {
    text += " node '" + place.node + "'";
  }
  return inside.empty() ? text : text + " (" + llvm::join(inside, ", ") + ")";
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::raw_ostream &stream, StringRef model,
                                     bool quiet)
    : stream(stream), model(model.str()), quiet(quiet),
      handler(&context, [this](Diagnostic &diagnostic) { print(diagnostic); }) {
}

void DiagnosticPrinter::printText(DiagnosticSeverity severity,
                                  const llvm::Twine &text) {
  errors += severity == DiagnosticSeverity::Error ? 1 : 0;
  stream << getLabel(severity) << ": " << text << "\n";
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  if (quiet && diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    return;
  }
  printText(diagnostic.getSeverity(), diagnostic.str());
  if (std::string place = describePlace(diagnostic.getLocation(), model);
      !place.empty()) {
    stream << "  at " << place << "\n";
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    print(note);
  }
}

void DiagnosticPrinter::print(const onnx::ImportNotes &notes) {
  for (const onnx::ImportNote &note : notes) {
    bool isWarning = note.severity == onnx::ImportNote::Severity::Warning;
    if (isWarning || !quiet) {
      printText(isWarning ? DiagnosticSeverity::Warning
                          : DiagnosticSeverity::Remark,
                onnx::toString(note));
    }
  }
}

void DiagnosticPrinter::printError(const llvm::Twine &text) {
  printText(DiagnosticSeverity::Error, text);
}

} // namespace accel
