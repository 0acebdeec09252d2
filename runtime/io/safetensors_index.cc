// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the index as a stream of events: unlike a document tree, the events
// show duplicate keys, and what is nested deeply costs nothing.
#include "runtime/io/safetensors_index.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kMap = "weight_map";

bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         !absl::StrContains(name, '/') && !absl::StrContains(name, '\0');
}

class IndexEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsIndex TakeIndex() { return std::move(index_); }
  const std::string& error() const { return error_; }

  bool key(string_t& key) override {
    if (depth_ == 1) {
      is_map_ = key == kMap;
      return !is_map_ || !has_map_ || Fail("two objects 'weight_map'");
    }
    if (InMap()) {
      tensor_ = key;
    }
    return true;
  }

  bool string(string_t& text) override {
    if (!InMap()) {
      return Other("text");
    }
    if (!IsPlainName(text)) {
      return Fail(absl::StrCat("tensor '", tensor_,
                               "': expected the name of a file beside the "
                               "index, got '",
                               text, "'"));
    }
    return index_.emplace(tensor_, text).second ||
           Fail(absl::StrCat("tensor '", tensor_, "' is named twice"));
  }

  bool start_object(size_t) override {
    if (depth_ == 1 && is_map_) {
      has_map_ = true;
    } else if (InMap()) {
      return Other("an object");
    }
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(size_t) override {
    if (!Other("a list")) {
      return false;
    }
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }

  bool null() override { return Other("null"); }
  bool boolean(bool) override { return Other("a boolean"); }
  bool number_integer(int64_t) override { return Other("a number"); }
  bool number_unsigned(uint64_t) override { return Other("a number"); }
  bool number_float(double, const string_t&) override {
    return Other("a number");
  }
  bool binary(binary_t&) override { return Other("bytes"); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    return Fail(absl::StrCat("not valid JSON at byte ", position));
  }

 private:
  bool InMap() const { return depth_ == 2 && is_map_; }

  // A value that may be anywhere but where a map or its files are expected.
  bool Other(absl::string_view what) {
    if (depth_ == 0) {
      return Fail(absl::StrCat("expected an object, got ", what));
    }
    if (depth_ == 1 && is_map_) {
      return Fail(absl::StrCat("'weight_map': expected an object, got ", what));
    }
    return !InMap() ||
           Fail(absl::StrCat("tensor '", tensor_,
                             "': expected the name of a file, got ", what));
  }

  bool Fail(const std::string& what) {
    error_ = Printable(what);
    return false;
  }

  int64_t depth_ = 0;    // objects and lists that are open
  bool is_map_ = false;  // the last key of the outermost object was the map's
  bool has_map_ = false;
  std::string tensor_;
  SafetensorsIndex index_;
  std::string error_;
};

}  // namespace

absl::StatusOr<SafetensorsIndex> ParseSafetensorsIndex(absl::string_view json) {
  IndexEvents events;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    return absl::InvalidArgumentError(
        absl::StrCat("index of safetensors files: ", events.error()));
  }
  SafetensorsIndex index = events.TakeIndex();
  if (index.empty()) {
    return absl::InvalidArgumentError(
        "index of safetensors files: expected tensors in 'weight_map', got "
        "none");
  }
  return index;
}

}  // namespace accel::runtime
