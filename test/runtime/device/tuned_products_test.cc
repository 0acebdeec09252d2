// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PLAN.tuned is read as it was written, or not at all.
#include "runtime/device/tuned_products.h"

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/base/sha256.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::CheckMachine;
using runtime::FormatTunedProducts;
using runtime::ParseTunedProducts;
using runtime::ReadTunedProducts;
using runtime::TunedProducts;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr absl::string_view kPlan = "0123456789abcdef0123";

TunedProducts Sample() {
  TunedProducts tuned;
  tuned.plan_sha256 = std::string(kPlan);
  tuned.machine = {"A GPU", "9.0", "cuBLASLt 13.1.0"};
  tuned.driver = "13.0";
  runtime::TunedProduct& product = tuned.products["matmul_0"];
  product.sizes = "1 of 4x33 over 21, f32 and f32 to f32";
  product.algorithm = {1, 2, 0xffffffffffffffff, 4, 5, 6, 7, 8};
  product.description = "algorithm 21";
  product.lhs_alignment = 16;
  product.rhs_alignment = 4;
  product.result_alignment = 8;
  product.candidates = 3;
  product.first_us = 12.125;
  product.best_us = 11;
  tuned.products["another"] = product;
  return tuned;
}

// The file after somebody has changed it and made the hash anew, as only a
// mistake of ours could.
std::string Changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(FormatTunedProducts(Sample()));
  change(json);
  json.erase("sha256");
  runtime::Sha256 hash;
  hash.Update(json.dump());
  json["sha256"] = runtime::ToHex(hash.Finish());
  return json.dump();
}

TEST(TunedProductsTest, AreReadAsTheyWereWritten) {
  const std::string text = FormatTunedProducts(Sample());
  ASSERT_OK_AND_ASSIGN(const TunedProducts read, ParseTunedProducts(text));
  EXPECT_EQ(read.plan_sha256, kPlan);
  EXPECT_EQ(read.machine, Sample().machine);
  EXPECT_EQ(read.driver, "13.0");
  EXPECT_EQ(read.products, Sample().products);
  EXPECT_EQ(read.sha256.size(), 64u);
  EXPECT_EQ(FormatTunedProducts(read), text);
}

TEST(TunedProductsTest, ANameThatIsNoTextIsReplacedAndRead) {
  TunedProducts tuned = Sample();
  tuned.products["\xff"] = tuned.products["matmul_0"];
  ASSERT_OK_AND_ASSIGN(const TunedProducts read,
                       ParseTunedProducts(FormatTunedProducts(tuned)));
  EXPECT_EQ(read.products.count("\xef\xbf\xbd"), 1u);
}

TEST(TunedProductsTest, EveryChangedByteIsFound) {
  const std::string text = FormatTunedProducts(Sample());
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] ^= 1;
    const auto read = ParseTunedProducts(damaged);
    // White space may be another: the content is the same.
    if (read.ok()) {
      EXPECT_EQ(read->sha256, ParseTunedProducts(text)->sha256) << at;
      EXPECT_EQ(read->products, Sample().products) << at;
    } else {
      EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss) << at;
    }
  }
}

TEST(TunedProductsTest, EveryShorterFileIsFound) {
  const std::string text = FormatTunedProducts(Sample());
  // All but the last line's end.
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ParseTunedProducts(text.substr(0, size)).ok()) << size;
  }
}

TEST(TunedProductsTest, DepthTakesNoStack) {
  const std::string deep(size_t{1} << 21, '[');
  EXPECT_FALSE(ParseTunedProducts(deep).ok());
  const std::string closed =
      absl::StrCat(R"({"format":"accel tuned products","version":1,)"
                   R"("sha256":"0","products":)",
                   deep, std::string(deep.size(), ']'), "}");
  EXPECT_THAT(ParseTunedProducts(closed),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("changed")));
}

struct Fault {
  const char* name;
  std::function<void(Json&)> change;
  const char* message;
};

class TunedProductsFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(TunedProductsFaults, AreErrors) {
  EXPECT_THAT(
      ParseTunedProducts(Changed(GetParam().change)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr(GetParam().message)));
}

Json& Product(Json& json) { return json["products"]["matmul_0"]; }

const Fault kFaults[] = {
    {"Format", [](Json& json) { json["format"] = "trace"; },
     "expected 'accel tuned products' of version 1, got 'trace' of version 1"},
    {"Version", [](Json& json) { json["version"] = 2; }, "got 'accel tuned"},
    {"NoPlan", [](Json& json) { json.erase("plan_sha256"); },
     "expected a value as 'plan_sha256'"},
    {"Gpu", [](Json& json) { json["gpu"] = 5; }, "expected a text as 'gpu'"},
    {"Products", [](Json& json) { json["products"] = Json::array(); },
     "expected an object as 'products'"},
    {"ShortAlgorithm", [](Json& json) { Product(json)["algorithm"].erase(7); },
     "expected eight numbers of 16 hex digits as 'algorithm'"},
    {"NoHex",
     [](Json& json) { Product(json)["algorithm"][0] = "000000000000000x"; },
     "expected eight numbers of 16 hex digits as 'algorithm'"},
    {"Alignment", [](Json& json) { Product(json)["lhs_alignment"] = 12; },
     "expected a power of two as 'lhs_alignment'"},
    {"NoAlignment", [](Json& json) { Product(json)["rhs_alignment"] = 0; },
     "expected a power of two as 'rhs_alignment'"},
    {"Candidates", [](Json& json) { Product(json)["candidates"] = -1; },
     "expected a whole number as 'candidates'"},
    {"Time", [](Json& json) { Product(json)["microseconds"] = nullptr; },
     "expected a time as 'microseconds'"},
};

INSTANTIATE_TEST_SUITE_P(All, TunedProductsFaults, ::testing::ValuesIn(kFaults),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(TunedProductsTest, LieBesideThePlan) {
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  const std::string plan = dir.File("plan");
  ASSERT_OK_AND_ASSIGN(auto read, ReadTunedProducts(*vfs, plan, kPlan));
  EXPECT_FALSE(read.has_value());
  dir.Write("plan.tuned", FormatTunedProducts(Sample()));
  ASSERT_OK_AND_ASSIGN(read, ReadTunedProducts(*vfs, plan, kPlan));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->path, dir.File("plan.tuned"));
  EXPECT_THAT(ReadTunedProducts(*vfs, plan, "fedcba98765432100000"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       absl::StrCat(
                           "'", plan,
                           ".tuned': expected products tuned for the plan with "
                           "sha256 fedcba9876543210, got for 0123456789abcdef; "
                           "measure again (accel-run ",
                           plan, " --tune), or remove that file")));
  dir.Write("plan.tuned", "{");
  EXPECT_THAT(ReadTunedProducts(*vfs, plan, kPlan),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(StartsWith(absl::StrCat("'", plan, ".tuned': ")),
                             EndsWith("or remove that file"))));
}

TEST(TunedProductsTest, AreForOneMachine) {
  TunedProducts tuned = Sample();
  tuned.path = "plan.tuned";
  EXPECT_OK(CheckMachine(tuned, tuned.machine));
  EXPECT_THAT(
      CheckMachine(tuned, {"Another", "8.0", "cuBLASLt 13.1.0"}),
      StatusIs(absl::StatusCode::kUnimplemented,
               "'plan.tuned': expected products tuned on Another (8.0), got A "
               "GPU (9.0); measure again (accel-run plan --tune), or remove "
               "that file"));
  EXPECT_THAT(
      CheckMachine(tuned, {"A GPU", "9.0", "cuBLASLt 13.2.0"}),
      StatusIs(absl::StatusCode::kUnimplemented,
               HasSubstr("expected products tuned with cuBLASLt 13.2.0, got "
                         "cuBLASLt 13.1.0")));
}

}  // namespace
}  // namespace accel::testing
