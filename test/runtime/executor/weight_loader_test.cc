// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of weights on any number of ranks.
#include "runtime/executor/weight_loader.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container/container_format.h"
#include "runtime/plan/container/external_file.h"
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
  std::vector<uint16_t> part(3, 99);
  const auto dst = absl::MakeSpan(reinterpret_cast<std::byte*>(part.data()), 6);
  // Its last two columns, and what remains.
  runtime::CopyTransposed({bytes.subspan(4), 1}, {2, 3, 2}, 0, 2, 2, dst);
  EXPECT_THAT(part, ::testing::ElementsAre(2, 99, 11));
  runtime::CopyTransposed({bytes.first(4), 0}, {2, 3, 2}, 0, 2, 2, dst);
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

// The same bytes in a file beside the plan, at an odd offset.
class ExternalWeights : public ChunkedWeights {
 protected:
  void SetUp() override {
    ChunkedWeights::SetUp();
    dir_.Write("model.data", "odd" + bytes_);
    SamplePlan sample = MakeSamplePlan();
    ASSERT_OK_AND_ASSIGN(*sample.manifest.add_external_files(),
                         runtime::DescribeExternalFile(
                             *vfs_, dir_.File("model.data"), "model.data"));
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, path_));
    ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, path_));
  }

  static planpb::Load MakeExternal(uint64_t offset, uint64_t elements) {
    planpb::Load load;
    load.set_dtype(planpb::ELEMENT_F32);
    planpb::LoadPiece* piece = load.add_pieces();
    piece->set_external_file_plus_one(1);
    piece->set_source_offset(3 + offset);
    piece->set_elements(elements);
    return load;
  }

  // On three threads.
  absl::StatusOr<std::string> LoadPart(const planpb::Load& load,
                                       const std::string& folder = "") {
    auto files = runtime::ExternalFiles::Open(*vfs_, *plan_, folder);
    if (!files.ok()) {
      return files.status();
    }
    const runtime::ThreadPool pool = runtime::ThreadPool::Create(3).value();
    const runtime::WeightLoader loader(*plan_, *files);
    std::string loaded(load.pieces(0).elements() * 4, '\0');
    const absl::Status status =
        Load(loader, load, RankBinding(), pool,
             absl::MakeSpan(reinterpret_cast<std::byte*>(loaded.data()),
                            loaded.size()));
    return status.ok() ? absl::StatusOr<std::string>(loaded) : status;
  }

  absl::StatusOr<std::string> LoadWhole(const std::string& folder = "") {
    return LoadPart(MakeExternal(0, kSize / 4), folder);
  }

  std::unique_ptr<runtime::Plan> plan_;
};

TEST_F(ExternalWeights, AreThoseOfTheFile) {
  ASSERT_OK_AND_ASSIGN(const std::string loaded, LoadWhole());
  EXPECT_TRUE(loaded == bytes_);
}

TEST_F(ExternalWeights, MayLieInAnotherFolder) {
  const TempDir other;
  other.Write("model.data", dir_.Read("model.data"));
  std::filesystem::remove(dir_.File("model.data"));
  ASSERT_OK_AND_ASSIGN(const std::string loaded, LoadWhole(other.File("")));
  EXPECT_TRUE(loaded == bytes_);
}

// Of more bytes than are in memory at a time: 18 chunks as [columns, rows].
TEST_F(ExternalWeights, AreTransposedBandByBand) {
  constexpr uint64_t kRows = 5000;
  constexpr uint64_t kColumns = 3775;
  std::vector<uint32_t> source(kRows * kColumns);
  std::vector<uint32_t> expected(source.size());
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kColumns; ++column) {
      const auto value = static_cast<uint32_t>(row * kColumns + column);
      expected[value] = value;
      source[column * kRows + row] = value;
    }
  }
  dir_.Write("model.data",
             "odd" + std::string(reinterpret_cast<const char*>(source.data()),
                                 source.size() * 4));
  SamplePlan sample = MakeSamplePlan();
  ASSERT_OK_AND_ASSIGN(*sample.manifest.add_external_files(),
                       runtime::DescribeExternalFile(
                           *vfs_, dir_.File("model.data"), "model.data"));
  ASSERT_OK(WriteSamplePlan(*vfs_, sample, path_));
  ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, path_));
  planpb::Load load = MakeExternal(0, source.size());
  load.mutable_pieces(0)->set_rows(kRows);
  load.mutable_pieces(0)->set_columns(kColumns);
  ASSERT_OK_AND_ASSIGN(const std::string loaded, LoadPart(load));
  EXPECT_EQ(std::memcmp(loaded.data(), expected.data(), loaded.size()), 0);
}

TEST_F(ExternalWeights, ChunksThatARankDoesNotNeedAreNotRead) {
  std::string changed = dir_.Read("model.data");
  changed[changed.size() - 1] ^= 1;
  dir_.Write("model.data", changed);
  ASSERT_OK_AND_ASSIGN(const std::string loaded,
                       LoadPart(MakeExternal(8, 1000)));
  EXPECT_TRUE(loaded == bytes_.substr(8, 4000));
}

TEST_F(ExternalWeights, AChangedByteIsFound) {
  std::string changed = dir_.Read("model.data");
  changed[runtime::kChunkSize] ^= 1;
  dir_.Write("model.data", changed);
  EXPECT_THAT(
      LoadWhole().status(),
      StatusIs(absl::StatusCode::kDataLoss,
               ::testing::MatchesRegex(
                   "'" + dir_.File("model.data") +
                   "' is not the file that the plan was compiled with: bytes "
                   ".4194304, 8388608.: expected SHA-256 [0-9a-f]+, got "
                   "[0-9a-f]+; put the file .* --weights-dir, .*")));
}

TEST_F(ExternalWeights, HashesOfTheWrongNumberAreRefused) {
  SamplePlan sample = MakeSamplePlan();
  planpb::ExternalFile& file = *sample.manifest.add_external_files();
  file = plan_->manifest().external_files(0);
  file.mutable_chunk_digests()->pop_back();
  ASSERT_OK(WriteSamplePlan(*vfs_, sample, path_));
  ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, path_));
  EXPECT_THAT(LoadWhole().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "weights of the plan: external file 'model.data': "
                       "expected 96 bytes of hashes, got 95"));
}

}  // namespace
}  // namespace accel::testing
