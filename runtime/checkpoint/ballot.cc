// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One gather of a few hundred bytes of each process.
#include "runtime/checkpoint/ballot.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

// Texts end with a zero; longer ones are cut.
struct Ballot {
  int64_t code = 0;  // absl::StatusCode
  uint64_t file_bytes = 0;
  char message[768] = {};
  char file_name[96] = {};
  char header_sha256[80] = {};
};

template <size_t kSize>
void Put(absl::string_view text, char (&field)[kSize]) {
  // Not memcpy(), which may not be given the null pointer of an empty text.
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), field);
}

Ballot Fill(const absl::Status& own, const CheckpointFile& file) {
  Ballot ballot;
  ballot.code = static_cast<int64_t>(own.code());
  ballot.file_bytes = file.bytes;
  Put(own.message(), ballot.message);
  Put(file.name, ballot.file_name);
  Put(file.header_sha256, ballot.header_sha256);
  return ballot;
}

}  // namespace

absl::StatusOr<Verdict> Vote(Communicator* communicator, absl::string_view name,
                             const absl::Status& own,
                             const CheckpointFile& file) {
  if (communicator == nullptr) {
    return Verdict{own, {file}};
  }
  const Ballot mine = Fill(own, file);
  std::vector<Ballot> all(communicator->ranks());
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kU8;
  call.elements = all.size() * sizeof(Ballot);
  call.name = name;
  call.input = absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&mine),
                                   sizeof mine);
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(all.data()),
                               all.size() * sizeof(Ballot));
  RETURN_IF_ERROR(communicator->Run(call));
  Verdict verdict;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const Ballot& each = all[rank];
    if (each.code != 0) {
      verdict.status.Update(
          absl::Status(static_cast<absl::StatusCode>(each.code),
                       absl::StrCat("rank ", rank, ": ", each.message)));
    }
    verdict.files.push_back(
        {each.file_name, each.file_bytes, each.header_sha256});
  }
  return verdict;
}

absl::StatusOr<int64_t> Tell(Communicator* communicator, absl::string_view name,
                             int64_t number) {
  if (communicator == nullptr) {
    return number;
  }
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BROADCAST;
  call.dtype = DType::kI64;
  call.elements = 1;
  call.root = 0;
  call.name = name;
  call.output =
      absl::MakeSpan(reinterpret_cast<std::byte*>(&number), sizeof number);
  if (communicator->rank() == 0) {
    call.input = call.output;
  }
  RETURN_IF_ERROR(communicator->Run(call));
  return number;
}

absl::StatusOr<bool> AllAgree(Communicator* communicator,
                              absl::string_view name, bool own) {
  if (communicator == nullptr) {
    return own;
  }
  int64_t against = own ? 0 : 1;
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_REDUCE;
  call.reduction = planpb::Collective::REDUCTION_MAX;
  call.dtype = DType::kI64;
  call.elements = 1;
  call.name = name;
  call.output =
      absl::MakeSpan(reinterpret_cast<std::byte*>(&against), sizeof against);
  call.input = call.output;
  RETURN_IF_ERROR(communicator->Run(call));
  return against == 0;
}

}  // namespace accel::runtime
