// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every collective with every type, ranks being threads: in place and apart, in
// every order of the driver's double.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

// Small numbers, so that every order of summation has the same sum.
template <typename T>
T Value(int rank, size_t index) {
  return static_cast<T>((static_cast<size_t>(rank) * 5 + index) % 17 + 1);
}

template <typename T>
T Reduced(NcclReduction reduction, int ranks, size_t index) {
  T result = Value<T>(0, index);
  for (int rank = 1; rank < ranks; ++rank) {
    const T value = Value<T>(rank, index);
    result = reduction == kNcclSum   ? static_cast<T>(result + value)
             : reduction == kNcclMax ? std::max(result, value)
                                     : std::min(result, value);
  }
  return result;
}

template <typename T>
class CollectivesTest : public NcclTest {
 protected:
  static constexpr NcclDataType kType = TypeOf<T>();

  void ForAll(const std::function<void(TestRank& rank, size_t count)>& run) {
    int seed = 0;
    for (const int ranks : {1, 2, 3, 4}) {
      for (const size_t count : {size_t{1}, size_t{7}, size_t{5001}}) {
        OpenAll(ranks, {{"SEED", absl::StrCat(++seed)}});
        Collectively(ranks, [&](TestRank& rank) { run(rank, count); });
        EXPECT_EQ(ReportText(), "");
      }
    }
  }
};

using Types = ::testing::Types<float, double, int64_t, uint8_t>;
TYPED_TEST_SUITE(CollectivesTest, Types);

TYPED_TEST(CollectivesTest, AllReduce) {
  this->ForAll([this](TestRank& rank, size_t n) {
    for (const NcclReduction reduction : {kNcclSum, kNcclMax, kNcclMin}) {
      std::vector<TypeParam> expected(n);
      for (size_t k = 0; k < n; ++k) {
        expected[k] = Reduced<TypeParam>(reduction, rank.ranks, k);
      }
      auto* send = this->Make(rank, n, &Value<TypeParam>);
      auto* receive = this->template MakeEmpty<TypeParam>(n);
      for (auto* to : {receive, send}) {
        EXPECT_EQ(this->nccl.ncclAllReduce(send, to, n, this->kType, reduction,
                                           rank.comm, rank.stream),
                  kNcclSuccess);
        EXPECT_EQ(this->Download(rank, to, n), expected);
      }
    }
  });
}

TYPED_TEST(CollectivesTest, ReduceScatter) {
  this->ForAll([this](TestRank& rank, size_t n) {
    const size_t first = n * static_cast<size_t>(rank.rank);
    std::vector<TypeParam> expected(n);
    for (size_t k = 0; k < n; ++k) {
      expected[k] = Reduced<TypeParam>(kNcclSum, rank.ranks, first + k);
    }
    auto* send = this->Make(rank, n * static_cast<size_t>(rank.ranks),
                            &Value<TypeParam>);
    auto* receive = this->template MakeEmpty<TypeParam>(n);
    for (auto* to : {receive, send + first}) {
      EXPECT_EQ(this->nccl.ncclReduceScatter(send, to, n, this->kType, kNcclSum,
                                             rank.comm, rank.stream),
                kNcclSuccess);
      EXPECT_EQ(this->Download(rank, to, n), expected);
    }
  });
}

TYPED_TEST(CollectivesTest, AllGather) {
  this->ForAll([this](TestRank& rank, size_t n) {
    const size_t total = n * static_cast<size_t>(rank.ranks);
    std::vector<TypeParam> expected(total);
    for (size_t k = 0; k < total; ++k) {
      expected[k] = Value<TypeParam>(static_cast<int>(k / n), k % n);
    }
    auto* send = this->Make(rank, n, &Value<TypeParam>);
    auto* receive = this->template MakeEmpty<TypeParam>(total);
    EXPECT_EQ(this->nccl.ncclAllGather(send, receive, n, this->kType, rank.comm,
                                       rank.stream),
              kNcclSuccess);
    EXPECT_EQ(this->Download(rank, receive, total), expected);
    // In place, of what the gather has put there.
    EXPECT_EQ(this->nccl.ncclAllGather(
                  receive + n * static_cast<size_t>(rank.rank), receive, n,
                  this->kType, rank.comm, rank.stream),
              kNcclSuccess);
    EXPECT_EQ(this->Download(rank, receive, total), expected);
  });
}

TYPED_TEST(CollectivesTest, BroadcastAndReduce) {
  this->ForAll([this](TestRank& rank, size_t n) {
    const int root = rank.ranks / 2;
    const bool is_root = rank.rank == root;
    std::vector<TypeParam> sent(n), sum(n);
    for (size_t k = 0; k < n; ++k) {
      sent[k] = Value<TypeParam>(root, k);
      sum[k] = Reduced<TypeParam>(kNcclSum, rank.ranks, k);
    }
    auto* send = this->Make(rank, n, &Value<TypeParam>);
    auto* receive = this->template MakeEmpty<TypeParam>(n);
    // What the other ranks do not use may be null.
    EXPECT_EQ(
        this->nccl.ncclReduce(send, is_root ? receive : nullptr, n, this->kType,
                              kNcclSum, root, rank.comm, rank.stream),
        kNcclSuccess);
    if (is_root) {
      EXPECT_EQ(this->Download(rank, receive, n), sum);
    }
    EXPECT_EQ(
        this->nccl.ncclBroadcast(is_root ? send : nullptr, receive, n,
                                 this->kType, root, rank.comm, rank.stream),
        kNcclSuccess);
    EXPECT_EQ(this->Download(rank, receive, n), sent);
    EXPECT_EQ(this->nccl.ncclBroadcast(send, send, n, this->kType, root,
                                       rank.comm, rank.stream),
              kNcclSuccess);
    EXPECT_EQ(this->Download(rank, send, n), sent);
  });
}

// Parts of different sizes, as an all-gather of uneven shards has them.
TYPED_TEST(CollectivesTest, AGroupOfBroadcastsAndReduces) {
  this->ForAll([this](TestRank& rank, size_t n) {
    std::vector<TypeParam*> parts, sums;
    for (int root = 0; root < rank.ranks; ++root) {
      const size_t count = n + static_cast<size_t>(root);
      parts.push_back(root == rank.rank
                          ? this->Make(rank, count, &Value<TypeParam>)
                          : this->template MakeEmpty<TypeParam>(count));
      sums.push_back(this->Make(rank, count, &Value<TypeParam>));
    }
    EXPECT_EQ(this->nccl.ncclGroupStart(), kNcclSuccess);
    for (int root = 0; root < rank.ranks; ++root) {
      const size_t count = n + static_cast<size_t>(root);
      const auto at = static_cast<size_t>(root);
      EXPECT_EQ(this->nccl.ncclGroupStart(), kNcclSuccess);
      EXPECT_EQ(
          this->nccl.ncclBroadcast(parts[at], parts[at], count, this->kType,
                                   root, rank.comm, rank.stream),
          kNcclSuccess);
      EXPECT_EQ(this->nccl.ncclReduce(sums[at], sums[at], count, this->kType,
                                      kNcclMax, root, rank.comm, rank.stream),
                kNcclSuccess);
      EXPECT_EQ(this->nccl.ncclGroupEnd(), kNcclSuccess);
    }
    EXPECT_EQ(this->cu.cuStreamQuery(rank.stream) == kErrorLaunchFailed, false);
    EXPECT_EQ(this->nccl.ncclGroupEnd(), kNcclSuccess);
    for (int root = 0; root < rank.ranks; ++root) {
      const size_t count = n + static_cast<size_t>(root);
      const auto at = static_cast<size_t>(root);
      EXPECT_EQ(this->Download(rank, parts[at], count).back(),
                Value<TypeParam>(root, count - 1));
      if (root == rank.rank) {
        EXPECT_EQ(this->Download(rank, sums[at], count).back(),
                  Reduced<TypeParam>(kNcclMax, rank.ranks, count - 1));
      }
    }
  });
}

}  // namespace
}  // namespace accel::cuda_double
