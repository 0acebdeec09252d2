// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TOML to entries; nothing that the file says is passed over.
#include "runtime/data/blend_file.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/toml.h"
#include "runtime/data/blend_order.h"
#include "runtime/data/data_flag.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kMostBlendBytes = uint64_t{1} << 20;
constexpr int64_t kMostEpochs = int64_t{1} << 31;
constexpr char kForm[] = "[[dataset]] with path, weight and, if wanted, epochs";

int64_t LineOf(const toml::node& node) {
  return static_cast<int64_t>(node.source().begin.line);
}

// `text`, of --data, as seen from where the program runs.
std::string FromFolder(const std::string& folder, const DataFlag& flag) {
  std::string path = folder == "." ? flag.path : JoinPath(folder, flag.path);
  // It must not look like a field's name.
  const size_t equals = path.find('=');
  if (flag.name.empty() && equals != path.npos && equals < path.find('/')) {
    path = absl::StrCat("./", path);
  }
  return absl::StrCat(flag.name, flag.name.empty() ? "" : "=", path,
                      flag.encoding == TokenEncoding::kU16   ? ":u16"
                      : flag.encoding == TokenEncoding::kU32 ? ":u32"
                                                             : "");
}

class BlendReader {
 public:
  explicit BlendReader(const std::string& path)
      : path_(path), folder_(ParentDirectory(path)) {}

  absl::StatusOr<std::vector<BlendEntry>> Read(const std::string& text) {
    try {
      ReadFile(toml::parse(text, path_));
    } catch (const toml::parse_error& error) {
      Complain(static_cast<int64_t>(error.source().begin.line),
               absl::StrCat("expected TOML: ",
                            absl::string_view(error.description().data(),
                                              error.description().size())));
    }
    RETURN_IF_ERROR(errors_.ToStatus(absl::StrCat("'", path_, "'")));
    return std::move(entries_);
  }

 private:
  void Complain(int64_t line, absl::string_view what) {
    errors_.Add(absl::StrCat("line ", line, ": ", what));
  }

  void ReadFile(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (key.str() != "dataset" || !node.is_array_of_tables()) {
        Complain(LineOf(node), absl::StrCat("expected ", kForm, ", got '",
                                            std::string(key.str()), "'"));
      }
    }
    const toml::array* datasets = file["dataset"].as_array();
    if (datasets == nullptr || datasets->empty()) {
      if (errors_.empty()) {
        Complain(1, absl::StrCat("expected ", kForm, ", got none"));
      }
      return;
    }
    if (datasets->size() > kMostBlended) {
      return Complain(LineOf(*datasets),
                      absl::StrCat("expected at most ", kMostBlended,
                                   " datasets, got ", datasets->size()));
    }
    for (const toml::node& dataset : *datasets) {
      if (const toml::table* table = dataset.as_table()) {
        ReadEntry(*table);
      }
    }
  }

  void ReadEntry(const toml::table& table) {
    BlendEntry entry;
    entry.line = LineOf(table);
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "path") {
        ReadPath(node, entry);
      } else if (name == "weight") {
        ReadWeight(node, entry);
      } else if (name == "epochs") {
        ReadEpochs(node, entry);
      } else {
        Complain(LineOf(node),
                 absl::StrCat("expected ", kForm, ", got '", name, "'"));
      }
    }
    for (const char* key : {"path", "weight"}) {
      if (!table.contains(key)) {
        Complain(entry.line,
                 absl::StrCat("expected ", kForm, ", got no ", key));
      }
    }
    entries_.push_back(std::move(entry));
  }

  void ReadPath(const toml::node& node, BlendEntry& entry) {
    std::vector<std::string> names;
    const auto add = [&](const toml::node& each) {
      const auto* text = each.as_string();
      if (text == nullptr) {
        return Complain(LineOf(each),
                        "path: expected a string, as after --data, or an "
                        "array of them");
      }
      AddPath(text->get(), LineOf(each), entry);
      names.push_back(text->get());
    };
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& each : *array) {
        add(each);
      }
      if (array->empty()) {
        Complain(LineOf(node), "path: expected a path or more, got none");
      }
    } else {
      add(node);
    }
    entry.name = absl::StrCat("'", absl::StrJoin(names, "', '"), "'");
  }

  void AddPath(const std::string& text, int64_t line, BlendEntry& entry) {
    const auto flag = ParseDataFlag(text);
    if (!flag.ok()) {
      return Complain(line, absl::StrCat("path: ", flag.status().message()));
    }
    if (NamesBlend(text)) {
      return Complain(line,
                      absl::StrCat("path: expected data, got the blend '", text,
                                   "'; write its datasets here instead"));
    }
    entry.data.push_back(FromFolder(folder_, *flag));
  }

  void ReadWeight(const toml::node& node, BlendEntry& entry) {
    const std::optional<double> weight =
        node.is_number() ? node.value<double>() : std::nullopt;
    // So that no sum of them is infinite either.
    constexpr double kMost = 1e300;
    if (!weight.has_value() || !(*weight > 0) || *weight > kMost) {
      return Complain(LineOf(node),
                      "weight: expected a positive number; leave out a dataset "
                      "that is not wanted");
    }
    entry.weight = *weight;
  }

  void ReadEpochs(const toml::node& node, BlendEntry& entry) {
    const auto* epochs = node.as_integer();
    if (epochs == nullptr || epochs->get() < 1 || epochs->get() > kMostEpochs) {
      return Complain(LineOf(node),
                      absl::StrCat("epochs: expected a whole number from 1 to ",
                                   kMostEpochs));
    }
    entry.epochs = epochs->get();
  }

  const std::string& path_;
  const std::string folder_;
  std::vector<BlendEntry> entries_;
  ErrorList errors_;
};

}  // namespace

bool NamesBlend(absl::string_view data) {
  const auto flag = ParseDataFlag(data);
  return flag.ok() && flag->is_blend();
}

absl::StatusOr<std::vector<BlendEntry>> ReadBlendFile(Vfs& vfs,
                                                      const std::string& path) {
  auto text = ReadWholeFile(vfs, path, kMostBlendBytes);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(
        absl::StrCat("'", path,
                     "': expected a blend of datasets, got no such file; check "
                     "the path"));
  }
  RETURN_IF_ERROR(text.status());
  return BlendReader(path).Read(*text);
}

}  // namespace accel::runtime
