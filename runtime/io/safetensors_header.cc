// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses and checks the JSON header of a safetensors file as a stream of
// events: unlike a document tree, the events show duplicate keys, and nesting
// costs nothing because the third level is refused.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/safetensors.h"
#include "runtime/text/printable.h"

namespace accel::runtime {
namespace {

constexpr std::array<std::pair<absl::string_view, DType>, 16> kDTypes = {{
    {"BOOL", DType::kBool},
    {"I8", DType::kI8},
    {"U8", DType::kU8},
    {"I16", DType::kI16},
    {"U16", DType::kU16},
    {"I32", DType::kI32},
    {"U32", DType::kU32},
    {"I64", DType::kI64},
    {"U64", DType::kU64},
    {"F8_E4M3", DType::kF8E4M3},
    {"F8_E5M2", DType::kF8E5M2},
    {"F8_E8M0", DType::kF8E8M0},
    {"F16", DType::kF16},
    {"BF16", DType::kBF16},
    {"F32", DType::kF32},
    {"F64", DType::kF64},
}};

// Follows the one shape a header may have:
//   { "__metadata__": {string: string...},
//     name: {"dtype": string, "shape": [n...], "data_offsets": [n, n]}... }
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader TakeHeader() { return std::move(header_); }
  const std::string& error() const { return error_; }

  bool start_object(size_t) override {
    if (place_ == Place::kStart) {
      return Enter(Place::kRoot);
    }
    if (place_ != Place::kRoot) {
      return Fail("unexpected object");
    }
    keys_.clear();
    if (name_ == "__metadata__") {
      return Enter(Place::kMetadata);
    }
    header_.entries.push_back({name_, DType::kF32, {}, 0, 0});
    return Enter(Place::kEntry);
  }

  bool key(string_t& key) override {
    auto& seen = place_ == Place::kRoot ? names_ : keys_;
    if (!seen.insert(key).second) {
      return Fail("duplicate key '" + key + "'");
    }
    (place_ == Place::kRoot ? name_ : key_) = key;
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = text;
      return true;
    }
    if (place_ != Place::kEntry || key_ != "dtype") {
      return Fail("unexpected string");
    }
    const auto dtype = SafetensorsDTypeFromName(text);
    if (!dtype.has_value()) {
      return Fail("unsupported dtype '" + text + "'");
    }
    header_.entries.back().dtype = *dtype;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::kEntry ||
        (key_ != "shape" && key_ != "data_offsets")) {
      return Fail("unexpected array");
    }
    numbers_.clear();
    return Enter(Place::kNumbers);
  }

  bool number_unsigned(uint64_t value) override {
    if (place_ != Place::kNumbers) {
      return Fail("unexpected number");
    }
    numbers_.push_back(value);
    return true;
  }

  bool end_array() override;
  bool end_object() override;

  bool null() override { return Fail("unexpected null"); }
  bool boolean(bool) override { return Fail("unexpected boolean"); }
  bool number_integer(int64_t) override {
    return Fail("unexpected negative number");
  }
  bool number_float(double, const string_t&) override {
    return Fail("unexpected fraction");
  }
  bool binary(binary_t&) override { return Fail("unexpected binary value"); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    return Fail(absl::StrCat("not valid JSON at byte ", position));
  }

 private:
  enum class Place { kStart, kRoot, kMetadata, kEntry, kNumbers };

  bool Enter(Place place) {
    place_ = place;
    return true;
  }

  bool Fail(const std::string& what) {
    const bool inside = place_ != Place::kStart && place_ != Place::kRoot;
    error_ = Printable(inside ? absl::StrCat("'", name_, "': ", what) : what);
    return false;
  }

  Place place_ = Place::kStart;
  std::string name_;
  std::string key_;
  std::set<std::string> names_;
  std::set<std::string> keys_;  // of the object inside the root
  std::vector<uint64_t> numbers_;
  SafetensorsHeader header_;
  std::string error_;
};

bool HeaderEvents::end_array() {
  SafetensorsEntry& entry = header_.entries.back();
  place_ = Place::kEntry;
  if (key_ == "shape") {
    for (const uint64_t dim : numbers_) {
      if (dim > INT64_MAX) {
        return Fail("shape out of range");
      }
      entry.shape.push_back(static_cast<int64_t>(dim));
    }
    return true;
  }
  if (numbers_.size() != 2) {
    return Fail(absl::StrCat("data_offsets: expected 2 numbers, got ",
                             numbers_.size()));
  }
  entry.begin = numbers_[0];
  entry.end = numbers_[1];
  return true;
}

bool HeaderEvents::end_object() {
  if (place_ == Place::kEntry) {
    for (const char* required : {"dtype", "shape", "data_offsets"}) {
      if (keys_.count(required) == 0) {
        return Fail(absl::StrCat("missing key '", required, "'"));
      }
    }
    if (keys_.size() != 3) {
      return Fail("expected only the keys dtype, shape and data_offsets");
    }
  }
  return Enter(Place::kRoot);
}

absl::Status CheckSize(const SafetensorsEntry& entry) {
  const auto expected = DenseByteSize(entry.shape, entry.dtype);
  if (expected.has_value() && entry.end >= entry.begin &&
      entry.end - entry.begin == static_cast<uint64_t>(*expected)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", Printable(entry.name), "': ", FormatShape(entry.shape),
                   " of ", SafetensorsDTypeName(entry.dtype), " takes ",
                   expected.has_value() ? absl::StrCat(*expected, " bytes")
                                        : "more bytes than can be counted",
                   ", data_offsets are [", entry.begin, ", ", entry.end, "]"));
}

// Every byte of the data belongs to exactly one tensor.
absl::Status CheckCoverage(const std::vector<SafetensorsEntry>& entries,
                           uint64_t data_size) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", Printable(entry.name),
                       "': ", entry.begin > covered ? "hole" : "overlap",
                       " before it: expected it to begin at data byte ",
                       covered, ", got ", entry.begin));
    }
    covered = entry.end;
  }
  if (covered == data_size) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the tensors take ", covered, " bytes, the file has ",
                   data_size, covered > data_size ? ": it is cut short" : ""));
}

}  // namespace

absl::string_view SafetensorsDTypeName(DType dtype) {
  for (const auto& [name, value] : kDTypes) {
    if (value == dtype) {
      return name;
    }
  }
  return "?";
}

std::optional<DType> SafetensorsDTypeFromName(absl::string_view name) {
  for (const auto& [known, value] : kDTypes) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json,
                                                         uint64_t data_size) {
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    return absl::InvalidArgumentError(
        absl::StrCat("safetensors header: ", events.error()));
  }
  SafetensorsHeader header = events.TakeHeader();
  std::sort(header.entries.begin(), header.entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  for (const SafetensorsEntry& entry : header.entries) {
    RETURN_IF_ERROR(CheckSize(entry));
  }
  RETURN_IF_ERROR(CheckCoverage(header.entries, data_size));
  return header;
}

}  // namespace accel::runtime
