// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR closes its lists with empty objects and puts the total into the last
// entry; percentages follow from the rest.
#include "compiler/TimeReport.h"

using llvm::json::Array;
using llvm::json::Object;

namespace accel {

static double readSeconds(const Object &entry, llvm::StringRef clock) {
  const Object *time = entry.getObject(clock);
  return time ? time->getNumber("duration").value_or(0.0) : 0.0;
}

static Object makePart(const Object &entry) {
  Object part{{"seconds", readSeconds(entry, "wall")},
              {"cpu_seconds", readSeconds(entry, "user")}};
  if (std::optional<llvm::StringRef> name = entry.getString("name")) {
    part["name"] = name->str();
  }
  Array parts;
  if (const Array *passes = entry.getArray("passes")) {
    for (const llvm::json::Value &each : *passes) {
      if (const Object *pass = each.getAsObject(); pass && !pass->empty()) {
        parts.push_back(makePart(*pass));
      }
    }
  }
  if (!parts.empty()) {
    part["parts"] = std::move(parts);
  }
  return part;
}

llvm::Expected<Object> makeTimeReport(llvm::StringRef report) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(report);
  if (!value) {
    return value.takeError();
  }
  Object total;
  Array parts;
  const Array none;
  const Array *entries = value->getAsArray();
  for (const llvm::json::Value &each : entries ? *entries : none) {
    const Object *entry = each.getAsObject();
    if (!entry || entry->empty()) {
      continue;
    }
    Object part = makePart(*entry);
    if (part.getString("name") == llvm::StringRef("Total")) {
      part.erase("name");
      total = std::move(part);
    } else {
      parts.push_back(std::move(part));
    }
  }
  total["parts"] = std::move(parts);
  return Object{{"time_report", std::move(total)}};
}

} // namespace accel
