// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run, whose rules are the catalogue of codes.
#include "compiler/SarifLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace accel {
namespace {

using llvm::json::Array;
using llvm::json::Object;

StringRef getLevel(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    return "note";
  }
  llvm_unreachable("all severities are listed");
}

Object makeMessage(StringRef text) {
  return Object{{"text", llvm::json::fixUTF8(text)}};
}

/// A path as a reference by RFC 3986: what has a meaning there is escaped, and
/// a first part with a colon does not look like a scheme.
std::string makeUri(StringRef path) {
  std::string uri = path.starts_with("/") ? "file://" : "";
  for (char c : path) {
    bool isPlain = llvm::isAlnum(c) || StringRef("-._~/").contains(c);
    uri += isPlain ? std::string(1, c)
                   : "%" + llvm::utohexstr(static_cast<uint8_t>(c),
                                           /*LowerCase=*/false, /*Width=*/2);
  }
  return uri;
}

Array makeRules() {
  Array rules;
  for (const ErrorInfo &info : getErrorCatalogue()) {
    rules.push_back(Object{
        {"id", info.code.name.str()},
        {"shortDescription", makeMessage(info.code.title)},
        {"fullDescription", makeMessage(info.explanation)},
        {"help", makeMessage(info.remedy)},
        {"defaultConfiguration",
         Object{{"level", isWarning(info.code) ? "warning" : "error"}}}});
  }
  return rules;
}

} // namespace

Object SarifLog::makeLocation(const Place &place) const {
  Object physical{
      {"artifactLocation",
       Object{{"uri", makeUri(place.file.empty() ? model : place.file)}}}};
  if (place.line > 0) {
    physical["region"] = Object{{"startLine", place.line}};
  }
  Object location{{"physicalLocation", std::move(physical)}};
  if (!place.node.empty()) {
    Object node{{"name", place.node}};
    if (!place.scope.empty()) {
      node["fullyQualifiedName"] = place.scope + "/" + place.node;
    }
    location["logicalLocations"] = Array{std::move(node)};
  }
  return location;
}

void SarifLog::add(DiagnosticSeverity severity, StringRef text,
                   const ErrorInfo *info, const Place &place) {
  Object result{{"level", getLevel(severity).str()},
                {"message", makeMessage(text)},
                {"locations", Array{makeLocation(place)}}};
  if (info) {
    result["ruleId"] = info->code.name.str();
    result["ruleIndex"] = info - getErrorCatalogue().begin();
  }
  results.push_back(std::move(result));
}

void SarifLog::addNote(StringRef text, const Place &place) {
  Object location = makeLocation(place);
  location["message"] = makeMessage(text);
  Object &result = results.back();
  if (Array *known = result.getArray("relatedLocations")) {
    known->push_back(std::move(location));
  } else {
    result["relatedLocations"] = Array{std::move(location)};
  }
}

void SarifLog::print(llvm::raw_ostream &stream, int exitCode) const {
  Object driver{{"name", "accelc"}, {"rules", makeRules()}};
  Array list;
  for (const Object &result : results) {
    list.push_back(Object(result));
  }
  Object run{
      {"tool", Object{{"driver", std::move(driver)}}},
      {"invocations", Array{Object{{"executionSuccessful", exitCode == 0},
                                   {"exitCode", exitCode}}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(list)}};
  Object log{{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/"
                         "schemas/sarif-schema-2.1.0.json"},
             {"version", "2.1.0"},
             {"runs", Array{std::move(run)}}};
  stream << llvm::formatv("{0:2}", llvm::json::Value(std::move(log))) << "\n";
}

} // namespace accel
