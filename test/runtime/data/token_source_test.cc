// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row i of a stream is tokens [i T, i T + T) and their successors.
#include "runtime/data/token_source.h"

#include <numeric>
#include <string>
#include <vector>

#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::TempDir;

TEST(TokenSourceTest, TheLastRowNeedsASuccessor) {
  EXPECT_EQ(TokenSource::RowCount(0, 4), 0);
  EXPECT_EQ(TokenSource::RowCount(4, 4), 0);
  EXPECT_EQ(TokenSource::RowCount(5, 4), 1);
  EXPECT_EQ(TokenSource::RowCount(8, 4), 1);
  EXPECT_EQ(TokenSource::RowCount(9, 4), 2);
}

template <typename T>
std::vector<T> Fill(const std::shared_ptr<const TokenStream>& file,
                    const SignatureField& field, int64_t row) {
  std::vector<T> values(field.sample_elements());
  EXPECT_OK(
      TokenSource(file, field)
          .Fill(row, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                                    values.size() * sizeof(T))));
  return values;
}

TEST(TokenSourceTest, InputsAreTokensAndTargetsTheirSuccessors) {
  TempDir dir;
  const auto vfs = MakePosixVfs();
  std::vector<uint16_t> tokens(20'001);
  std::iota(tokens.begin(), tokens.end(), uint16_t{0});
  ASSERT_OK_AND_ASSIGN(
      std::shared_ptr<const TokenStream> file,
      TokenStream::Open(*vfs,
                        std::vector<TokenPath>{{dir.Write("t.bin", tokens)}}));
  const SignatureField input = {"ids", {2, 4}, DType::kI64};
  SignatureField target = {"labels", {2, 4}, DType::kI32};
  target.role = SignatureField::Role::kTarget;
  EXPECT_EQ(Fill<int64_t>(file, input, 3),
            (std::vector<int64_t>{12, 13, 14, 15}));
  EXPECT_EQ(Fill<int32_t>(file, target, 3),
            (std::vector<int32_t>{13, 14, 15, 16}));
  // Longer than a piece, up to the very last token.
  target.shape = {1, 10'000};
  const std::vector<int32_t> row = Fill<int32_t>(file, target, 1);
  EXPECT_EQ(row.front(), 10'001);
  EXPECT_EQ(row.back(), 20'000);
}

}  // namespace
}  // namespace accel::runtime
