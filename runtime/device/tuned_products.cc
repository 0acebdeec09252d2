// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON of tuned products, read field by field. The bytes of an algorithm go
// to a library that need not check them, so a hash covers all of the file.
#include "runtime/device/tuned_products.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"

namespace accel::runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr absl::string_view kFormat = "accel tuned products";
constexpr uint64_t kVersion = 1;
constexpr absl::string_view kSuffix = ".tuned";
// Of a thousand products.
constexpr uint64_t kMostBytes = uint64_t{4} << 20;

absl::Status Unexpected(absl::string_view key, absl::string_view expected) {
  return absl::DataLossError(
      absl::StrCat("expected ", expected, " as '", key, "'"));
}

absl::StatusOr<Json> Member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) {
    return Unexpected(key, "a value");
  }
  return *found;
}

absl::StatusOr<std::string> Text(const Json& object, const char* key) {
  ASSIGN_OR_RETURN(const Json value, Member(object, key));
  if (!value.is_string()) {
    return Unexpected(key, "a text");
  }
  return value.get<std::string>();
}

absl::StatusOr<double> Microseconds(const Json& object, const char* key) {
  ASSIGN_OR_RETURN(const Json value, Member(object, key));
  if (!value.is_number() || !std::isfinite(value.get<double>()) ||
      value.get<double>() < 0) {
    return Unexpected(key, "a time");
  }
  return value.get<double>();
}

absl::StatusOr<uint32_t> Whole(const Json& object, const char* key) {
  ASSIGN_OR_RETURN(const Json value, Member(object, key));
  if (!value.is_number_unsigned() || value.get<uint64_t>() > UINT32_MAX) {
    return Unexpected(key, "a whole number");
  }
  return static_cast<uint32_t>(value.get<uint64_t>());
}

absl::StatusOr<uint32_t> Alignment(const Json& object, const char* key) {
  ASSIGN_OR_RETURN(const uint32_t value, Whole(object, key));
  if (value == 0 || (value & (value - 1)) != 0) {
    return Unexpected(key, "a power of two");
  }
  return value;
}

absl::StatusOr<OpaqueAlgorithm> Algorithm(const Json& object) {
  constexpr absl::string_view kExpected = "eight numbers of 16 hex digits";
  ASSIGN_OR_RETURN(const Json words, Member(object, "algorithm"));
  OpaqueAlgorithm algorithm;
  if (!words.is_array() || words.size() != algorithm.size()) {
    return Unexpected("algorithm", kExpected);
  }
  for (size_t i = 0; i < algorithm.size(); ++i) {
    if (!words[i].is_string() || words[i].get<std::string>().size() != 16 ||
        !absl::SimpleHexAtoi(words[i].get<std::string>(), &algorithm[i])) {
      return Unexpected("algorithm", kExpected);
    }
  }
  return algorithm;
}

Json ToJson(const TunedProduct& product) {
  Json algorithm = Json::array();
  for (const uint64_t word : product.algorithm) {
    algorithm.push_back(absl::StrFormat("%016x", word));
  }
  return {{"sizes", product.sizes},
          {"description", product.description},
          {"algorithm", std::move(algorithm)},
          {"lhs_alignment", product.lhs_alignment},
          {"rhs_alignment", product.rhs_alignment},
          {"result_alignment", product.result_alignment},
          {"candidates", product.candidates},
          {"first_microseconds", product.first_us},
          {"microseconds", product.best_us}};
}

absl::StatusOr<TunedProduct> FromJson(const Json& json) {
  TunedProduct product;
  ASSIGN_OR_RETURN(product.sizes, Text(json, "sizes"));
  ASSIGN_OR_RETURN(product.description, Text(json, "description"));
  ASSIGN_OR_RETURN(product.algorithm, Algorithm(json));
  ASSIGN_OR_RETURN(product.lhs_alignment, Alignment(json, "lhs_alignment"));
  ASSIGN_OR_RETURN(product.rhs_alignment, Alignment(json, "rhs_alignment"));
  ASSIGN_OR_RETURN(product.result_alignment,
                   Alignment(json, "result_alignment"));
  ASSIGN_OR_RETURN(product.candidates, Whole(json, "candidates"));
  ASSIGN_OR_RETURN(product.first_us, Microseconds(json, "first_microseconds"));
  ASSIGN_OR_RETURN(product.best_us, Microseconds(json, "microseconds"));
  return product;
}

// Names are those of a model, which may hold anything.
std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string HashOf(const Json& json) {
  Sha256 hash;
  hash.Update(Dump(json, -1));
  return ToHex(hash.Finish());
}

// Whether it is a file of ours, and nobody has changed it since. Leaves the
// hash out of it.
absl::StatusOr<std::string> TakeHash(Json& json) {
  ASSIGN_OR_RETURN(const std::string format, Text(json, "format"));
  ASSIGN_OR_RETURN(const Json version, Member(json, "version"));
  if (format != kFormat || version != kVersion) {
    return absl::DataLossError(
        absl::StrCat("expected '", kFormat, "' of version ", kVersion,
                     ", got '", format, "' of version ", Dump(version, -1)));
  }
  ASSIGN_OR_RETURN(const std::string stored, Text(json, "sha256"));
  json.erase("sha256");
  const std::string found = HashOf(json);
  if (stored != found) {
    return absl::DataLossError(
        absl::StrCat("expected content with sha256 ", stored.substr(0, 16),
                     ", got ", found.substr(0, 16), ": it was changed"));
  }
  return found;
}

absl::Status OfAnother(absl::string_view what, absl::string_view expected,
                       absl::string_view got) {
  return absl::UnimplementedError(absl::StrCat("expected products tuned ", what,
                                               " ", expected, ", got ", got));
}

}  // namespace

std::string TunedPath(absl::string_view plan) {
  return absl::StrCat(plan, kSuffix);
}

std::string FormatTunedProducts(const TunedProducts& tuned) {
  Json json = {
      {"format", std::string(kFormat)},         {"version", kVersion},
      {"plan_sha256", tuned.plan_sha256},       {"gpu", tuned.machine.gpu},
      {"capability", tuned.machine.capability}, {"driver", tuned.driver},
      {"library", tuned.machine.library},       {"products", Json::object()}};
  for (const auto& [name, product] : tuned.products) {
    json["products"][name] = ToJson(product);
  }
  // What a reader will hash: names as they are written.
  json["sha256"] = HashOf(Json::parse(Dump(json, -1)));
  return absl::StrCat(Dump(json, 2), "\n");
}

absl::StatusOr<TunedProducts> ParseTunedProducts(absl::string_view text) {
  // Deeper than what is written is nothing of ours, and is left out: what is
  // deep enough to use up the stack.
  constexpr int kMostDepth = 4;
  const auto is_ours = [](int depth, Json::parse_event_t, Json&) {
    return depth <= kMostDepth;
  };
  Json json = Json::parse(text, is_ours, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return absl::DataLossError("expected JSON, got something else");
  }
  TunedProducts tuned;
  ASSIGN_OR_RETURN(tuned.sha256, TakeHash(json));
  ASSIGN_OR_RETURN(tuned.plan_sha256, Text(json, "plan_sha256"));
  ASSIGN_OR_RETURN(tuned.machine.gpu, Text(json, "gpu"));
  ASSIGN_OR_RETURN(tuned.machine.capability, Text(json, "capability"));
  ASSIGN_OR_RETURN(tuned.machine.library, Text(json, "library"));
  ASSIGN_OR_RETURN(tuned.driver, Text(json, "driver"));
  ASSIGN_OR_RETURN(const Json products, Member(json, "products"));
  if (!products.is_object()) {
    return Unexpected("products", "an object");
  }
  for (const auto& [name, value] : products.items()) {
    ASSIGN_OR_RETURN(tuned.products[name], FromJson(value));
  }
  return tuned;
}

absl::StatusOr<std::optional<TunedProducts>> ReadTunedProducts(
    Vfs& vfs, absl::string_view plan, absl::string_view plan_sha256) {
  TunedProducts tuned;
  tuned.path = TunedPath(plan);
  const absl::StatusOr<std::string> text =
      ReadWholeFile(vfs, tuned.path, kMostBytes);
  if (absl::IsNotFound(text.status())) {
    return std::nullopt;
  }
  if (!text.ok()) {
    return AnnotateTuned(tuned, text.status());
  }
  absl::StatusOr<TunedProducts> parsed = ParseTunedProducts(*text);
  if (!parsed.ok()) {
    return AnnotateTuned(tuned, parsed.status());
  }
  parsed->path = tuned.path;
  if (parsed->plan_sha256 != plan_sha256) {
    return AnnotateTuned(
        tuned,
        OfAnother("for the plan with sha256", plan_sha256.substr(0, 16),
                  absl::StrCat("for ", parsed->plan_sha256.substr(0, 16))));
  }
  return *std::move(parsed);
}

absl::Status CheckMachine(const TunedProducts& tuned,
                          const TuningMachine& machine) {
  const TuningMachine& own = tuned.machine;
  if (own.gpu != machine.gpu || own.capability != machine.capability) {
    return AnnotateTuned(
        tuned,
        OfAnother("on",
                  absl::StrCat(machine.gpu, " (", machine.capability, ")"),
                  absl::StrCat(own.gpu, " (", own.capability, ")")));
  }
  if (own.library != machine.library) {
    return AnnotateTuned(tuned,
                         OfAnother("with", machine.library, own.library));
  }
  return absl::OkStatus();
}

absl::Status AnnotateTuned(const TunedProducts& tuned,
                           const absl::Status& status) {
  const absl::string_view plan = absl::StripSuffix(tuned.path, kSuffix);
  const std::string message(status.message());
  return absl::Status(status.code(),
                      absl::StrCat(absl::StrContains(message, tuned.path)
                                       ? ""
                                       : absl::StrCat("'", tuned.path, "': "),
                                   message, "; measure again (accel-run ", plan,
                                   " --tune), or remove that file"));
}

}  // namespace accel::runtime
