// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of weights on any number of ranks.
#include "runtime/executor/weight_loader.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container_format.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::RankBinding;

// Straight into `dst`, by the threads of a pool.
absl::Status Load(const runtime::WeightLoader& loader, const planpb::Load& load,
                  const RankBinding& binding, const runtime::ThreadPool& pool,
                  absl::Span<std::byte> dst) {
  return loader.Run(
      load, binding, dst.size(),
      [&](int64_t count, absl::FunctionRef<void(int64_t)> task) {
        pool.ParallelFor(0, count, 1, [&](int, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            task(i);
          }
        });
      },
      [&](uint64_t begin, uint64_t size, runtime::WeightLoader::Read read) {
        return read(dst.subspan(begin, size));
      });
}

// w at 2, the table (transposed in the file) at 8, nothing elsewhere.
planpb::Load MakeLoad(uint64_t elements, uint64_t granule) {
  planpb::Load load;
  load.set_dtype(planpb::ELEMENT_F32);
  load.mutable_shard()->set_elements(elements);
  load.mutable_shard()->set_granule(granule);
  load.mutable_shard()->add_axes(planpb::AXIS_FSDP);
  planpb::LoadPiece* w = load.add_pieces();
  w->set_section_plus_one(kWeights + 1);
  w->set_element_offset(2);
  w->set_elements(3);
  planpb::LoadPiece* table = load.add_pieces();
  table->set_section_plus_one(kWeights + 1);
  table->set_source_offset(12);
  table->set_element_offset(8);
  table->set_elements(8);
  table->set_rows(2);
  table->set_columns(4);
  return load;
}

TEST(WeightLoaderTest, RanksTogetherHoldTheWhole) {
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  ASSERT_OK(WriteSamplePlan(*vfs, MakeSamplePlan(), dir.File("plan")));
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       runtime::Plan::Open(*vfs, dir.File("plan")));
  const runtime::ExternalFiles files;
  const runtime::WeightLoader loader(*plan, files);
  std::vector<float> expected(16, -1);
  std::copy(kInitialWeights.begin(), kInitialWeights.end(),
            expected.begin() + 2);
  std::copy(kFrozenTable.begin(), kFrozenTable.end(), expected.begin() + 8);
  const planpb::Load load = MakeLoad(16, 1);
  for (uint64_t ranks = 1; ranks <= 20; ++ranks) {
    std::vector<float> whole;
    for (uint64_t rank = 0; rank < ranks; ++rank) {
      RankBinding binding;
      binding.degrees[planpb::AXIS_FSDP - 1] = ranks;
      binding.coordinates[planpb::AXIS_FSDP - 1] = rank;
      ASSERT_OK_AND_ASSIGN(const auto owned,
                           runtime::OwnedElements(load.shard(), binding));
      std::vector<float> part(owned.size(), -1);
      ASSERT_OK(Load(loader, load, binding, runtime::ThreadPool(),
                     absl::MakeSpan(reinterpret_cast<std::byte*>(part.data()),
                                    part.size() * sizeof(float))));
      whole.insert(whole.end(), part.begin(), part.end());
    }
    EXPECT_EQ(whole, expected) << ranks << " ranks";
  }
}

TEST(WeightLoaderTest, TransposesPartsOfAMatrix) {
  const std::vector<uint16_t> source = {0, 10, 1, 11, 2, 12};  // [3, 2]
  const auto bytes = absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(source.data()), 12);
  std::vector<uint16_t> part(3);
  runtime::CopyTransposed(
      bytes, 2, 3, 2, 2,
      absl::MakeSpan(reinterpret_cast<std::byte*>(part.data()), 6));
  EXPECT_THAT(part, ::testing::ElementsAre(2, 10, 11));
}

// Two and a half chunks of weights, cut into tensors anywhere.
class ChunkedWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    SamplePlan sample = MakeSamplePlan();
    bytes_ = sample.sections[kWeights].bytes;
    for (size_t i = bytes_.size(); i < kSize; ++i) {
      bytes_.push_back(static_cast<char>(i * 7 + i / 251));
    }
    sample.sections[kWeights].bytes = bytes_;
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, path_));
  }

  // Every tensor by an instruction of its own, one after the other.
  absl::StatusOr<std::string> LoadAll(const runtime::Plan& plan, int threads) {
    const runtime::ThreadPool pool =
        runtime::ThreadPool::Create(threads).value();
    const runtime::ExternalFiles files;
    const runtime::WeightLoader loader(plan, files);
    std::string loaded(kSize, '\0');
    for (size_t i = 0; i + 1 < cuts_.size(); ++i) {
      const uint64_t size = cuts_[i + 1] - cuts_[i];
      planpb::Load load;
      load.set_dtype(planpb::ELEMENT_F32);
      planpb::LoadPiece* piece = load.add_pieces();
      piece->set_section_plus_one(kWeights + 1);
      piece->set_source_offset(cuts_[i]);
      piece->set_elements(size / 4);
      absl::Status status =
          Load(loader, load, RankBinding(), pool,
               absl::MakeSpan(reinterpret_cast<std::byte*>(&loaded[cuts_[i]]),
                              size));
      if (!status.ok()) {
        return status;
      }
    }
    return loaded;
  }

  static constexpr uint64_t kSize = runtime::kChunkSize * 5 / 2;
  const std::vector<uint64_t> cuts_ = {0,
                                       3000,
                                       3008,
                                       runtime::kChunkSize + 1000,
                                       2 * runtime::kChunkSize + 400,
                                       kSize};
  const TempDir dir_;
  const std::string path_ = dir_.File("plan");
  const std::unique_ptr<Vfs> vfs_ = runtime::MakePosixVfs();
  std::string bytes_;
};

TEST_F(ChunkedWeights, AnyPoolLoadsTheSame) {
  ASSERT_OK_AND_ASSIGN(const auto plan, runtime::Plan::Open(*vfs_, path_));
  for (const int threads : {1, 2, 3}) {
    ASSERT_OK_AND_ASSIGN(const std::string loaded, LoadAll(*plan, threads));
    EXPECT_TRUE(loaded == bytes_) << threads << " threads";
  }
}

TEST_F(ChunkedWeights, EachChunkIsReadOnce) {
  Faults faults;
  FaultyVfs counting(*vfs_, faults);
  ASSERT_OK_AND_ASSIGN(const auto plan, runtime::Plan::Open(counting, path_));
  const int before = faults.operations;
  ASSERT_OK(LoadAll(*plan, 1).status());
  EXPECT_EQ(faults.operations - before, 3);
}

TEST_F(ChunkedWeights, WhatChangedAfterTheCheckIsFound) {
  ASSERT_OK_AND_ASSIGN(const auto plan, runtime::Plan::Open(*vfs_, path_));
  ASSERT_OK_AND_ASSIGN(const auto file, vfs_->Open(path_, OpenMode::kTruncate));
  ASSERT_OK(file->Truncate(plan->manifest().sections(kWeights).offset() +
                           kSize + 4096));
  for (const int threads : {1, 3}) {
    EXPECT_THAT(
        LoadAll(*plan, threads).status(),
        StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("weights")));
  }
}

}  // namespace
}  // namespace accel::testing
