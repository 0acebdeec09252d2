// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// However many threads encode, parts come out in the order in which they came.
#include "tools/accel-data/part_encoder.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

// The token of "17" is 17; other text cannot be encoded.
class NumberTokenizer final : public tools::Tokenizer {
 public:
  std::string Name() const override { return "numbers"; }
  int64_t vocabulary() const override { return 1 << 20; }
  std::optional<uint32_t> end_of_document() const override { return 0; }
  bool needs_utf8() const override { return false; }
  bool is_slow() const override { return true; }
  absl::Status Cut(absl::string_view, std::vector<std::string>&) override {
    return absl::OkStatus();
  }
  std::string TakeRest() override { return ""; }
  absl::Status Encode(absl::string_view part,
                      std::vector<uint32_t>& ids) const override {
    uint32_t id = 0;
    if (!absl::SimpleAtoi(part, &id)) {
      return absl::InvalidArgumentError("expected a number");
    }
    ids.push_back(id);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Decode(
      absl::Span<const uint32_t>) const override {
    return "";
  }
};

class PartEncoderTest : public ::testing::Test {
 protected:
  absl::Status EncodeAll(const std::vector<std::string>& texts, int threads) {
    taken_.clear();
    auto encoder = tools::PartEncoder::Create(
        tokenizer_, threads,
        [this](const tools::DocumentPart&, absl::Span<const uint32_t> ids) {
          taken_.insert(taken_.end(), ids.begin(), ids.end());
          return absl::OkStatus();
        });
    EXPECT_OK(encoder);
    int64_t line = 0;
    for (const std::string& text : texts) {
      const absl::Status added = (*encoder)->Add({text, "a.txt", ++line, true});
      if (!added.ok()) {
        return added;
      }
    }
    return (*encoder)->Finish();
  }

  NumberTokenizer tokenizer_;
  std::vector<uint32_t> taken_;
};

TEST_F(PartEncoderTest, TheOrderIsThatOfTheParts) {
  std::vector<std::string> texts;
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 20'000; ++i) {
    texts.push_back(absl::StrCat(i));
    expected.push_back(i);
  }
  for (const int threads : {1, 2, 7}) {
    ASSERT_OK(EncodeAll(texts, threads));
    EXPECT_EQ(taken_, expected) << threads;
  }
}

TEST_F(PartEncoderTest, TheFirstFaultIsNamedAndNothingBehindItTaken) {
  for (const int threads : {1, 4}) {
    EXPECT_THAT(EncodeAll({"1", "2", "x", "3", "y"}, threads),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "'a.txt', line 3: expected a number"));
    EXPECT_EQ(taken_, (std::vector<uint32_t>{1, 2}));
  }
}

}  // namespace
}  // namespace accel::testing
