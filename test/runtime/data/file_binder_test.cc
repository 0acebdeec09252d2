// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files find their fields, labels follow from tokens, and every fault of every
// flag is in the one error.
#include "runtime/data/file_binder.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Npy;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;

constexpr auto kInputField = SignatureField::Role::kInput;
constexpr auto kTargetField = SignatureField::Role::kTarget;

class FileBinderTest : public ::testing::Test {
 protected:
  absl::StatusOr<BoundSources> Bind(const std::vector<std::string>& data,
                                    int64_t global_batch = 1) {
    return BindFiles(*vfs_, signature_, data, global_batch);
  }

  std::vector<int64_t> Fill(const BoundSources& bound, size_t field,
                            int64_t row) {
    std::vector<int64_t> values(signature_[field].sample_elements());
    EXPECT_OK(bound.sources[field]->Fill(
        row, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(int64_t))));
    return values;
  }

  void ExpectRefused(const std::vector<std::string>& data,
                     const std::string& message, int64_t global_batch = 1) {
    EXPECT_THAT(
        Bind(data, global_batch),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("the data do not fit the plan", message)));
  }

  std::string Ids(const std::string& name, int64_t rows) {
    std::vector<int64_t> ids(rows * 4);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int64_t>(i % 10);
    }
    return dir_.Write(name, Npy<int64_t>("<i8", {rows, 4}, ids));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
  std::vector<SignatureField> signature_ = {
      {"ids", {2, 4}, DType::kI64, 0, 9, kInputField},
      {"labels", {2, 4}, DType::kI64, 0, 9, kTargetField}};
  std::string stream_ =
      dir_.Write("t.bin", std::vector<uint16_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
};

TEST_F(FileBinderTest, AStreamFeedsTokensAndSuccessors) {
  ASSERT_OK_AND_ASSIGN(const auto bound, Bind({stream_}, 2));
  EXPECT_EQ(bound.rows, 2);
  EXPECT_THAT(Fill(bound, 0, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 1, 1), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(bound.notes,
              ElementsAre(absl::StrCat("'", stream_, "' 10 16-bit tokens"),
                          absl::StrCat("successors in '", stream_,
                                       "' 10 16-bit tokens")));
}

TEST_F(FileBinderTest, TokenIdsAloneAreTheirOwnLabelsShiftedLeft) {
  const std::string ids = Ids("a.npy", 3);
  ASSERT_OK_AND_ASSIGN(const auto bound, Bind({"ids=" + ids}));
  EXPECT_THAT(Fill(bound, 0, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 1, 1), ElementsAre(5, 6, 7, -100));
  EXPECT_EQ(bound.notes[1],
            absl::StrCat("'", ids,
                         "' [3, 4] of i64 shifted left by one, last ignored"));
}

// The signature of a model that shifts its labels itself, Hugging Face's.
class OwnLossTest : public FileBinderTest {
 protected:
  OwnLossTest() {
    using Fill = SignatureField::Fill;
    signature_[1].fill = Fill::kTokens;
    signature_.push_back({"attention_mask", {2, 4}, DType::kI64});
    signature_.back().fill = Fill::kOnes;
    signature_.push_back({"position_ids", {2, 4}, DType::kI64, 0, 47});
    signature_.back().fill = Fill::kPositions;
  }
};

TEST_F(OwnLossTest, LabelsAreTheTokensAndTheRestIsFilled) {
  ASSERT_OK_AND_ASSIGN(const auto bound, Bind({stream_}, 2));
  EXPECT_EQ(bound.rows, 2);
  EXPECT_THAT(Fill(bound, 0, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 1, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 2, 1), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Fill(bound, 3, 1), ElementsAre(0, 1, 2, 3));
  const std::string stream = absl::StrCat("'", stream_, "' 10 16-bit tokens");
  EXPECT_THAT(bound.notes, ElementsAre(stream, stream, "ones", "positions"));
}

TEST_F(OwnLossTest, LabelsOfAnArrayAreItsTokens) {
  ASSERT_OK_AND_ASSIGN(const auto bound, Bind({"ids=" + Ids("a.npy", 3)}));
  EXPECT_THAT(Fill(bound, 1, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 2, 2), ElementsAre(1, 1, 1, 1));
}

TEST_F(OwnLossTest, WhatIsGivenIsTaken) {
  const std::string mask = dir_.Write(
      "m.npy", Npy<int64_t>("<i8", {2, 4}, {1, 1, 0, 0, 1, 0, 0, 0}));
  ASSERT_OK_AND_ASSIGN(const auto bound,
                       Bind({stream_, "attention_mask=" + mask}));
  EXPECT_THAT(Fill(bound, 2, 0), ElementsAre(1, 1, 0, 0));
  ASSERT_OK_AND_ASSIGN(const auto filled, Bind({stream_}));
  EXPECT_NE(bound.identity, filled.identity);
}

TEST_F(OwnLossTest, NothingIsFilledWithoutTokens) {
  ExpectRefused({"attention_mask=" +
                 dir_.Write("m.npy", Npy<int64_t>("<i8", {2, 4},
                                                  std::vector<int64_t>(8, 1)))},
                ":\n  - input 'ids': expected [2, 4] of i64, got no data; add "
                "--data ids=FILE.npy\n  - target 'labels': expected [2, 4] of "
                "i64, got no data; add --data labels=FILE.npy");
}

TEST_F(FileBinderTest, LabelsGivenAsAnArrayAreTakenAsTheyAre) {
  const std::string labels =
      dir_.Write("l.npy", Npy<int64_t>("<i8", {1, 4}, {-100, 1, 2, -100}));
  ASSERT_OK_AND_ASSIGN(const auto bound,
                       Bind({"labels=" + labels, "ids=" + Ids("a.npy", 1)}));
  EXPECT_THAT(Fill(bound, 1, 0), ElementsAre(-100, 1, 2, -100));
}

TEST_F(FileBinderTest, AStreamAndALabelArrayGoTogether) {
  const std::string labels = dir_.Write(
      "l.npy", Npy<int64_t>("<i8", {2, 4}, std::vector<int64_t>(8, 3)));
  ASSERT_OK_AND_ASSIGN(const auto bound, Bind({"labels=" + labels, stream_}));
  EXPECT_THAT(Fill(bound, 0, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Fill(bound, 1, 0), ElementsAre(3, 3, 3, 3));
}

TEST_F(FileBinderTest, AllFaultsAreReportedTogether) {
  signature_.push_back({"x", {2, 3}, DType::kF32});
  signature_.push_back({"z", {2, 3}, DType::kF32});
  const std::string bad = dir_.Write("x.npy", "text");
  ExpectRefused(
      {"ids=none.npy", "x=" + bad, "q=" + Ids("q.npy", 1), "x="},
      absl::StrCat(
          ":\n  - --data x=: expected [NAME=]FILE.npy, [NAME=]FILE.bin, "
          "FILE.bin:u16, FILE.bin:u32, FILE.idx or FILE.toml, got no file"
          "\n  - 'none.npy': expected a file of training data, got no such "
          "file; "
          "check the path"
          "\n  - '",
          bad,
          "': expected a .npy file, got other content (4 bytes); write it "
          "with numpy.save(FILE, ARRAY)"
          "\n  - --data q=",
          dir_.File("q.npy"),
          ": expected the name of a field of the plan, got 'q'; the plan has "
          "input 'ids' ([2, 4] of i64), target 'labels' ([2, 4] of i64), "
          "input 'x' ([2, 3] of f32), input 'z' ([2, 3] of f32)"
          "\n  - input 'z': expected [2, 3] of f32, got no data; add --data "
          "z=FILE.npy"));
}

TEST_F(FileBinderTest, AWrongSequenceLengthIsRefused) {
  signature_[0].shape = {2, 8};
  signature_[1].shape = {2, 8};
  const std::string path = Ids("a.npy", 3);
  ExpectRefused(
      {"ids=" + path},
      absl::StrCat(
          ": input 'ids': expected [*, 8] of i64, got [3, 4] of i64 in '", path,
          "'; save rows of this shape, or compile the model for the rows you "
          "have (accelc --dim)"));
}

TEST_F(FileBinderTest, ATokenBeyondTheVocabularyIsRefusedBeforeStepZero) {
  signature_[0].max_value = 8;
  ExpectRefused({stream_},
                absl::StrCat(": '", stream_,
                             "': expected token ids below the vocabulary of 9, "
                             "got 9 at token 9 (byte offset 18); use the "
                             "tokenizer that belongs to the model"));
  const std::string path = Ids("a.npy", 3);
  ExpectRefused(
      {"ids=" + path},
      absl::StrCat(": input 'ids': expected values from 0 to 8, got "
                   "9 in '",
                   path,
                   "' at row 2, element 1 (byte offset 200); give values that "
                   "the model was built for, such as its own tokenizer's"));
}

TEST_F(FileBinderTest, FewerSamplesThanABatchAreRefusedWithBothNumbers) {
  ExpectRefused({stream_},
                absl::StrCat(": expected at least 8 samples, the global "
                             "batch, got 2 in '",
                             stream_,
                             "' (10 tokens, rows of 4 and a successor); give "
                             "more data or a smaller --global-batch"),
                8);
}

TEST_F(FileBinderTest, DifferentNumbersOfSamplesAreRefused) {
  const std::string ids = Ids("a.npy", 3);
  const std::string labels = Ids("l.npy", 2);
  ExpectRefused({"ids=" + ids, "labels=" + labels},
                absl::StrCat(": target 'labels': expected 3 samples, as many "
                             "as '",
                             ids, "' has, got 2 in '", labels,
                             "'; every field needs the same samples"));
}

TEST_F(FileBinderTest, AnArrayWithoutANameIsRefused) {
  const std::string ids = Ids("a.npy", 3);
  ExpectRefused(
      {ids, "ids=" + ids},
      absl::StrCat(": --data ", ids,
                   ": expected NAME=FILE.npy; say which field it is: input "
                   "'ids' ([2, 4] of i64), target 'labels' ([2, 4] of i64)"));
}

TEST_F(FileBinderTest, AStreamThatCouldGoToTwoInputsMustBeNamed) {
  signature_.push_back({"other", {2, 4}, DType::kI64, 0, 9, kInputField});
  ExpectRefused(
      {stream_, "labels=" + Ids("l.npy", 2)},
      absl::StrCat(
          ":\n  - --data ", stream_,
          ": expected one input of token ids, the plan has input 'ids' ([2, 4] "
          "of i64), input 'other' ([2, 4] of i64); say which: --data NAME=",
          stream_,
          "\n  - input 'ids': expected [2, 4] of i64, got no data; add --data "
          "ids=FILE.npy\n  - input 'other': expected [2, 4] of i64, got no "
          "data; add --data other=FILE.npy"));
  ASSERT_OK_AND_ASSIGN(const auto bound,
                       Bind({"other=" + stream_, "ids=" + Ids("a.npy", 2)}));
  EXPECT_THAT(Fill(bound, 2, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Fill(bound, 1, 0), ElementsAre(1, 2, 3, 4));
}

TEST_F(FileBinderTest, AStreamNeedsAnInputOfTokens) {
  signature_ = {{"x", {2, 4}, DType::kF32}};
  ExpectRefused(
      {stream_, "x=" + dir_.Write("x.npy", Npy<float>("<f4", {2, 4},
                                                      std::vector<float>(8)))},
      absl::StrCat(": --data ", stream_,
                   ": expected an input of token ids without data, "
                   "the plan has input 'x' ([2, 4] of f32); give "
                   "arrays: --data NAME=FILE.npy"));
}

TEST_F(FileBinderTest, SeveralStreamsAreOneInTheOrderOfTheFlags) {
  const std::string more =
      dir_.Write("more.bin", std::vector<uint16_t>{9, 8, 7, 6, 5, 4, 3});
  for (const auto& data :
       {std::vector<std::string>{stream_, more},
        std::vector<std::string>{"ids=" + stream_, "ids=" + more}}) {
    ASSERT_OK_AND_ASSIGN(const auto bound, Bind(data, 4));
    EXPECT_EQ(bound.rows, 4);
    EXPECT_THAT(Fill(bound, 0, 2), ElementsAre(8, 9, 9, 8));
    EXPECT_THAT(Fill(bound, 1, 2), ElementsAre(9, 9, 8, 7));
    EXPECT_EQ(bound.notes[0], absl::StrCat("'", stream_, "' to '", more,
                                           "' (2 files) 17 16-bit tokens"));
  }
}

TEST_F(FileBinderTest, APatternOfArraysIsOneArray) {
  Ids("part-1.npy", 2);
  Ids("part-2.npy", 3);
  ASSERT_OK_AND_ASSIGN(const auto bound,
                       Bind({"ids=" + dir_.File("part-*.npy")}, 5));
  EXPECT_EQ(bound.rows, 5);
  EXPECT_THAT(Fill(bound, 0, 3), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Fill(bound, 1, 3), ElementsAre(5, 6, 7, -100));
}

TEST_F(FileBinderTest, AValueOutOfRangeIsOfItsFile) {
  Ids("part-1.npy", 2);
  const std::string second =
      dir_.Write("part-2.npy", Npy<int64_t>("<i8", {1, 4}, {0, 0, 77, 0}));
  ExpectRefused({"ids=" + dir_.File("part-*.npy")},
                absl::StrCat(": input 'ids': expected values from 0 to 9, got "
                             "77 in '",
                             second,
                             "' at row 0, element 2 (byte offset 144); give "
                             "values that the model was built for, such as its "
                             "own tokenizer's"));
}

TEST_F(FileBinderTest, AFileCountsOnce) {
  ExpectRefused(
      {stream_, dir_.File("*.bin")},
      absl::StrCat(": --data: expected each file once, got '", stream_,
                   "' twice; its samples would count twice"));
}

TEST_F(FileBinderTest, AFieldHasArraysOrTokens) {
  const std::string ids = Ids("a.npy", 3);
  ExpectRefused(
      {"ids=" + ids, "ids=" + stream_},
      absl::StrCat(": --data ids=", stream_,
                   ": expected files of one kind for a field, got '", ids,
                   "' and '", stream_, "'; give it either arrays or tokens"));
}

TEST_F(FileBinderTest, WhatIsWrongWithAStreamIsSaidOnceAndNotOfItsLabels) {
  const std::string none = dir_.File("none-*.bin");
  ExpectRefused({none}, absl::StrCat(": --data ", none,
                                     ": expected files that match '", none,
                                     "', got none; check the folder and the "
                                     "pattern"));
}

TEST_F(FileBinderTest, TheIdentityIsThatOfTheContentsAndBindings) {
  ASSERT_OK_AND_ASSIGN(const auto stream, Bind({stream_}));
  const std::string copy = dir_.Write("copy.bin", dir_.Read("t.bin"));
  ASSERT_OK_AND_ASSIGN(const auto same, Bind({copy}));
  EXPECT_EQ(stream.identity, same.identity);
  EXPECT_EQ(stream.identity.size(), 64);
  const std::string all = dir_.Read("t.bin");
  const std::string head = dir_.Write("head.bin", all.substr(0, 6));
  const std::string tail = dir_.Write("tail.bin", all.substr(6));
  ASSERT_OK_AND_ASSIGN(const auto parts, Bind({head, tail}));
  EXPECT_EQ(stream.identity, parts.identity);
  std::string changed = dir_.Read("t.bin");
  changed[0] = 1;
  ASSERT_OK_AND_ASSIGN(const auto other,
                       Bind({dir_.Write("changed.bin", changed)}));
  EXPECT_NE(stream.identity, other.identity);
  ASSERT_OK_AND_ASSIGN(const auto array, Bind({"ids=" + Ids("a.npy", 2)}));
  EXPECT_NE(stream.identity, array.identity);
}

// The data of an evaluation are another option's.
TEST_F(FileBinderTest, MessagesCallTheOptionAsItIsCalled) {
  const std::string ids = Ids("a.npy", 3);
  EXPECT_THAT(BindFiles(*vfs_, signature_, {"z=" + ids, ids},
                        /*global_batch=*/1, "--eval-data"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(
                           ::testing::HasSubstr("\n  - --eval-data z="),
                           ::testing::HasSubstr("\n  - --eval-data " + ids +
                                                ": expected NAME=FILE.npy"),
                           ::testing::HasSubstr("add --eval-data ids=FILE.npy"),
                           ::testing::Not(::testing::HasSubstr(" --data")))));
}

}  // namespace
}  // namespace accel::runtime
