// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan files: what goes in comes out, and nothing that was changed is accepted.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container/container_format.h"
#include "runtime/plan/container/container_reader.h"
#include "runtime/plan/container/container_writer.h"
#include "runtime/plan/plan.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

using runtime::ContainerReader;
using runtime::ContainerWriter;
using runtime::Plan;

class ContainerTest : public ::testing::Test {
 protected:
  std::string WriteSample() {
    EXPECT_OK(WriteSamplePlan(*vfs_, MakeSamplePlan(), path_));
    return dir_.Read("plan");
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::string path_ = dir_.File("plan");
};

TEST_F(ContainerTest, SectionsComeBackAsTheyWereWritten) {
  WriteSample();
  ASSERT_OK_AND_ASSIGN(const auto plan, Plan::Open(*vfs_, path_));
  EXPECT_EQ(plan->manifest().model().name(), "regression");
  EXPECT_EQ(plan->manifest().sections_size(), 8);
  EXPECT_THAT(plan->content().ReadSection(kText, 1000),
              IsOkAndHolds("plan.function @step {}\n"));
  EXPECT_EQ(plan->view().functions().size(), 2u);
  EXPECT_EQ(
      plan->view().FindFunction(planpb::FUNCTION_STEP)->instructions().size(),
      17u);
}

TEST_F(ContainerTest, EqualPlansHaveEqualBytes) {
  const std::string first = WriteSample();
  ASSERT_OK(WriteSamplePlan(*vfs_, MakeSamplePlan(), dir_.File("other")));
  EXPECT_EQ(first, dir_.Read("other"));
}

TEST_F(ContainerTest, SectionsOfManyChunksAreReadInPieces) {
  ASSERT_OK_AND_ASSIGN(const auto writer,
                       ContainerWriter::Create(*vfs_, path_));
  std::string bytes(2 * runtime::kChunkSize + 12345, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 31 + (i >> 13));
  }
  ASSERT_OK(writer->BeginSection("weights", planpb::SECTION_WEIGHTS));
  // Pieces that do not end where chunks do.
  ASSERT_OK(writer->Append(absl::string_view(bytes).substr(0, 5'000'000)));
  ASSERT_OK(writer->Append(absl::string_view(bytes).substr(5'000'000)));
  ASSERT_OK(writer->EndSection());
  ASSERT_OK(writer->Finish({}));
  ASSERT_OK_AND_ASSIGN(const auto reader, ContainerReader::Open(*vfs_, path_));
  EXPECT_EQ(reader->manifest().sections(0).chunk_digests().size(), 3 * 32u);
  ASSERT_OK(reader->Verify([](const planpb::Section&) { return true; }));
  std::string piece(runtime::kChunkSize + 10, '\0');
  ASSERT_OK(
      reader->Read(0, 4'000'000,
                   absl::MakeSpan(reinterpret_cast<std::byte*>(piece.data()),
                                  piece.size())));
  EXPECT_TRUE(piece == bytes.substr(4'000'000, piece.size()));
}

TEST_F(ContainerTest, AReadBeyondASectionIsRefused) {
  WriteSample();
  ASSERT_OK_AND_ASSIGN(const auto plan, Plan::Open(*vfs_, path_));
  std::vector<std::byte> bytes(8);
  EXPECT_THAT(plan->content().Read(kConstants, 12, absl::MakeSpan(bytes)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "'" + path_ +
                           "': section 'constants': expected 8 bytes at "
                           "offset 12, got a section of 16"));
}

TEST_F(ContainerTest, AWriterThatIsDroppedLeavesNoFile) {
  {
    ASSERT_OK_AND_ASSIGN(const auto writer,
                         ContainerWriter::Create(*vfs_, path_));
    ASSERT_OK(writer->AddSection("text", planpb::SECTION_TEXT, "x").status());
  }
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(::testing::IsEmpty()));
}

// Any operation may fail: then there is no plan, or (when only the durability
// of its name is unknown) a complete one.
TEST_F(ContainerTest, AFailedWriteLeavesNoDamagedPlan) {
  Faults none;
  FaultyVfs counting(*vfs_, none);
  ASSERT_OK(WriteSamplePlan(counting, MakeSamplePlan(), path_));
  for (int i = 0; i < none.operations; ++i) {
    ASSERT_OK(vfs_->Remove(path_));
    Faults faults;
    faults.fail_at = i;
    FaultyVfs faulty(*vfs_, faults);
    EXPECT_FALSE(WriteSamplePlan(faulty, MakeSamplePlan(), path_).ok()) << i;
    if (vfs_->Stat(path_).ok()) {
      EXPECT_OK(Plan::Open(*vfs_, path_)) << i;
    } else {
      ASSERT_OK(WriteSamplePlan(*vfs_, MakeSamplePlan(), path_));
    }
  }
}

// Every byte, every section: the error says where the damage is.
TEST_F(ContainerTest, AnyFlippedByteIsFound) {
  const std::string good = WriteSample();
  ASSERT_OK_AND_ASSIGN(const auto plan, Plan::Open(*vfs_, path_));
  const planpb::Manifest manifest = plan->manifest();
  std::vector<std::string> places(good.size(), "padding");
  for (const planpb::Section& section : manifest.sections()) {
    for (uint64_t i = 0; i < section.size(); ++i) {
      places[section.offset() + i] = "section '" + section.name() + "'";
    }
  }
  for (size_t i = 0; i < 112; ++i) {
    places[i] = "header";
  }
  for (size_t i = 112; i < 4096; ++i) {
    places[i] = "header";
  }
  for (size_t i = 0; i < 8; ++i) {
    places[i] = "not a plan";
  }
  for (size_t i = 8; i < 12; ++i) {
    places[i] = "plan format";
  }
  const size_t manifest_at =
      (manifest.sections(7).offset() + manifest.sections(7).size() + 4095) /
      4096 * 4096;
  for (size_t i = manifest_at; i < good.size(); ++i) {
    places[i] = "manifest";
  }
  // All bytes that mean something; of the padding some.
  for (size_t i = 0; i < good.size(); ++i) {
    const bool zeros = places[i] == "padding" || (i >= 112 && i < 4096);
    if (zeros && i % 61 != 0) {
      continue;
    }
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    dir_.Write("plan", bad);
    const auto opened = Plan::Open(*vfs_, path_);
    ASSERT_FALSE(opened.ok()) << "byte " << i;
    EXPECT_THAT(std::string(opened.status().message()), HasSubstr(places[i]))
        << "byte " << i;
  }
}

// Of a flipped byte of weights only who reads it learns; of any other byte who
// opens the plan.
TEST_F(ContainerTest, WeightsMayBeCheckedWhenTheyAreRead) {
  const std::string good = WriteSample();
  ASSERT_OK_AND_ASSIGN(const auto sound, Plan::Open(*vfs_, path_));
  const planpb::Manifest manifest = sound->manifest();
  int weights = -1;
  for (int i = 0; i < manifest.sections_size(); ++i) {
    const planpb::Section& section = manifest.sections(i);
    ASSERT_GT(section.size(), 0u);
    std::string bad = good;
    bad[section.offset()] = static_cast<char>(bad[section.offset()] ^ 1);
    dir_.Write("plan", bad);
    const auto opened =
        Plan::Open(*vfs_, path_, runtime::WeightCheck::kWhenRead);
    if (section.kind() != planpb::SECTION_WEIGHTS) {
      EXPECT_THAT(opened,
                  StatusIs(absl::StatusCode::kDataLoss,
                           HasSubstr("section '" + section.name() + "'")));
      continue;
    }
    weights = i;
    ASSERT_OK(opened.status());
    EXPECT_THAT(
        (*opened)->content().ReadSection(i, section.size()),
        StatusIs(absl::StatusCode::kDataLoss, HasSubstr("section 'weights'")));
  }
  EXPECT_NE(weights, -1) << "the sample has no weights";
}

TEST_F(ContainerTest, ATruncatedPlanIsRefused) {
  const std::string good = WriteSample();
  for (const size_t size :
       {good.size() - 1, size_t{5000}, size_t{4096}, size_t{100}, size_t{8}}) {
    dir_.Write("plan", good.substr(0, size));
    EXPECT_THAT(Plan::Open(*vfs_, path_),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("the file was cut short")))
        << size;
  }
  dir_.Write("plan", good + "x");
  EXPECT_THAT(Plan::Open(*vfs_, path_),
              StatusIs(absl::StatusCode::kDataLoss,
                       "'" + path_ + "': expected a file of " +
                           std::to_string(good.size()) + " bytes, got " +
                           std::to_string(good.size() + 1) +
                           "; something was appended; copy the plan again, or "
                           "compile the model again with accelc"));
}

TEST_F(ContainerTest, WhatIsNoPlanIsSaidToBeNone) {
  for (const std::string& text :
       {std::string(), std::string("short"), std::string(10000, 'x')}) {
    dir_.Write("plan", text);
    EXPECT_THAT(
        Plan::Open(*vfs_, path_),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 "'" + path_ +
                     "': not a plan: its first bytes are not 'ACCELPLN'; plans "
                     "are written by 'accelc MODEL.onnx -o PLAN'"));
  }
}

TEST_F(ContainerTest, AnUnknownMajorIsRefusedByItsNumber) {
  std::string bytes = WriteSample();
  bytes[8] = 9;
  dir_.Write("plan", bytes);
  EXPECT_THAT(
      Plan::Open(*vfs_, path_),
      StatusIs(absl::StatusCode::kUnimplemented,
               "'" + path_ + "': expected plan format 4.x, got 9." +
                   std::to_string(runtime::kPlanFormatMinor) +
                   "; compile the model again with this release's accelc"));
}

TEST_F(ContainerTest, UnknownRequiredFeaturesAreRefusedByName) {
  SamplePlan plan = MakeSamplePlan();
  plan.manifest.add_required_features("thread-private");
  plan.manifest.add_required_features("collectives");
  plan.manifest.add_required_features("telepathy");
  ASSERT_OK(WriteSamplePlan(*vfs_, plan, path_));
  EXPECT_THAT(
      Plan::Open(*vfs_, path_),
      StatusIs(absl::StatusCode::kUnimplemented,
               "'" + path_ +
                   "': the plan requires 'collectives', 'telepathy', which "
                   "this release does not know (it knows 'external-files', "
                   "'thread-private', 'sharded-access', 'flushed-subnormals', "
                   "'epilogues', 'inference', 'adapters', 'column-ranges'); "
                   "run it with the release of its compiler, accelc test"));
}

TEST_F(ContainerTest, HostileManifestsAreRefused) {
  const auto open = [this](
                        const std::function<void(planpb::Manifest&)>& change) {
    auto writer = ContainerWriter::Create(*vfs_, path_);
    EXPECT_OK(writer);
    EXPECT_OK((*writer)->AddSection("a", planpb::SECTION_TEXT, "text"));
    EXPECT_OK((*writer)->Finish(MakeSamplePlan().manifest));
    // The container is rewritten by hand around a changed manifest.
    std::string bytes = dir_.Read("plan");
    auto reader = ContainerReader::Open(*vfs_, path_);
    EXPECT_OK(reader);
    planpb::Manifest manifest = (*reader)->manifest();
    change(manifest);
    const std::string text = runtime::SerializeDeterministically(manifest);
    runtime::PlanHeader header;
    header.manifest_offset = 8192;
    header.manifest_size = text.size();
    header.file_size = 8192 + text.size();
    header.manifest_digest = runtime::Sha256::Of(absl::MakeConstSpan(
        reinterpret_cast<const std::byte*>(text.data()), text.size()));
    std::vector<std::byte> head(4096);
    runtime::EncodeHeader(header, absl::MakeSpan(head));
    bytes.resize(8192);
    bytes.replace(0, 4096, reinterpret_cast<const char*>(head.data()), 4096);
    dir_.Write("plan", bytes + text);
    return ContainerReader::Open(*vfs_, path_).status();
  };
  EXPECT_OK(open([](planpb::Manifest&) {}));
  EXPECT_THAT(open([](planpb::Manifest& m) {
                m.mutable_sections(0)->set_size(uint64_t{1} << 62);
              }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("does not lie between its neighbours")));
  EXPECT_THAT(
      open([](planpb::Manifest& m) { m.mutable_sections(0)->set_offset(0); }),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("does not lie between its neighbours")));
  EXPECT_THAT(open([](planpb::Manifest& m) {
                m.mutable_sections(0)->set_chunk_digests("short");
              }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected 32 bytes of hashes, got 5")));
  EXPECT_THAT(
      open([](planpb::Manifest& m) {
        m.mutable_sections(0)->set_kind(static_cast<planpb::SectionKind>(99));
      }),
      StatusIs(absl::StatusCode::kUnimplemented,
               HasSubstr("section 'a' is of unknown kind 99")));
  EXPECT_THAT(
      open([](planpb::Manifest& m) { *m.add_sections() = m.sections(0); }),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AnyOf(HasSubstr("neighbours"), HasSubstr("named"))));
}

TEST_F(ContainerTest, WritersInTheWrongOrderGetAnError) {
  ASSERT_OK_AND_ASSIGN(const auto writer,
                       ContainerWriter::Create(*vfs_, path_));
  EXPECT_FALSE(writer->Append("x").ok());
  EXPECT_FALSE(writer->EndSection().ok());
  ASSERT_OK(writer->BeginSection("a", planpb::SECTION_TEXT).status());
  EXPECT_FALSE(writer->BeginSection("b", planpb::SECTION_TEXT).ok());
  EXPECT_FALSE(writer->Finish({}).ok());
}

}  // namespace
}  // namespace accel::testing
