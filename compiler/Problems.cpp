// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouping by code and sentence, and two ways to print.
#include "compiler/Problems.h"

#include "runtime/text/printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace accel {

/// Converters begin with "Slice 'NODE': ": nodes are listed on their own.
static std::string withoutNode(llvm::StringRef text, llvm::StringRef node) {
  std::string named = (" '" + node + "'").str();
  size_t at = node.empty() ? llvm::StringRef::npos : text.find(named);
  if (at == llvm::StringRef::npos) {
    return text.str();
  }
  return (text.take_front(at) + text.drop_front(at + named.size())).str();
}

void Problems::add(const ErrorInfo *info, llvm::StringRef text,
                   const Place &place) {
  std::string kind = withoutNode(text, place.node);
  auto known = llvm::find_if(problems, [&](const Problem &problem) {
    return problem.info == info && problem.text == kind;
  });
  if (known == problems.end()) {
    problems.push_back({info, kind, {}, 0});
    known = std::prev(problems.end());
  }
  ++known->count;
  if (!place.isEmpty()) {
    known->places.push_back(place);
  }
}

static void printPlaces(llvm::raw_ostream &output, const Problem &problem) {
  constexpr size_t shown = 3;
  if (problem.places.empty()) {
    return;
  }
  size_t nodes = problem.places.size();
  output << "  at " << nodes << (nodes == 1 ? " node: " : " nodes: ");
  llvm::interleaveComma(llvm::ArrayRef(problem.places).take_front(shown),
                        output, [&](const Place &place) {
                          output << runtime::Printable(place.describe());
                        });
  if (nodes > shown) {
    output << " and " << nodes - shown << " more";
  }
  output << "\n";
}

void Problems::print(llvm::raw_ostream &output, llvm::StringRef model) const {
  output << runtime::Printable(model.str()) << ": " << problems.size()
         << (problems.size() == 1 ? " problem keeps" : " problems keep")
         << " it from training\n";
  for (const Problem &problem : problems) {
    output << "\n";
    if (problem.info) {
      output << problem.info->code.name << ": ";
    }
    output << runtime::PrintableLines(problem.text) << "\n";
    printPlaces(output, problem);
    if (problem.info) {
      output << "  reason: " << problem.info->explanation << "\n"
             << "  remedy: " << problem.info->remedy << "\n";
    }
  }
  output << "\nMore about a code: accelc --explain CODE\n";
}

llvm::json::Array Problems::toJson() const {
  llvm::json::Array array;
  for (const Problem &problem : problems) {
    llvm::json::Object object{{"message", problem.text},
                              {"count", static_cast<int64_t>(problem.count)}};
    if (problem.info) {
      object["code"] = problem.info->code.name.str();
      object["title"] = problem.info->code.title.str();
      object["reason"] = problem.info->explanation.str();
      object["remedy"] = problem.info->remedy.str();
    }
    llvm::json::Array places;
    for (const Place &place : problem.places) {
      places.push_back(place.toJson());
    }
    object["places"] = std::move(places);
    array.push_back(std::move(object));
  }
  return array;
}

} // namespace accel
