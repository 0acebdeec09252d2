// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading locations as the frontend makes them.
#include "compiler/Place.h"

#include "frontends/onnx/ImportOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel {

/// Of a location fused of several, the first one counts: it is that of the op
/// that the others were merged into.
static void readInto(Location location, Place &place) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](NameLoc name) {
        if (place.node.empty()) {
          place.node = name.getName().str();
        }
        readInto(name.getChildLoc(), place);
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
            readInto(part, place);
          }
        }
      })
      .Case([&](CallSiteLoc call) { readInto(call.getCallee(), place); });
}

Place readPlace(Location location) {
  Place place;
  readInto(location, place);
  return place;
}

Place readPlace(Location location, StringRef model) {
  Place place = readPlace(location);
  bool isWholeModel =
      place.node == "forward" || place.node == onnx::getModelName(model);
  return isWholeModel ? Place() : place;
}

std::string Place::describe() const {
  llvm::SmallVector<std::string> inside;
  // A name that begins with a slash says the module itself.
  if (!scope.empty() && !StringRef(node).starts_with("/")) {
    inside.push_back(scope);
  }
  if (!file.empty()) {
    inside.push_back(file + ":" + std::to_string(line));
  }
  std::string text = node.empty() ? "" : "'" + node + "'";
  if (inside.empty()) {
    return text;
  }
  return (text.empty() ? "" : text + " ") + "(" + llvm::join(inside, ", ") +
         ")";
}

std::string describePlace(const Place &place, StringRef model) {
  return place.isEmpty()
             ? ""
             : llvm::sys::path::filename(model).str() + ": " +
                   (place.node.empty() ? "" : "node ") + place.describe();
}

llvm::json::Object Place::toJson() const {
  llvm::json::Object object;
  auto add = [&](StringRef key, const std::string &value) {
    if (!value.empty()) {
      object[key] = value;
    }
  };
  add("node", node);
  add("scope", scope);
  add("file", file);
  if (line > 0) {
    object["line"] = line;
  }
  return object;
}

} // namespace accel
