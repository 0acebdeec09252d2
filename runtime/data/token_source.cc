// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows cut from a token stream.
#include "runtime/data/token_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/data/integer_element.h"

namespace accel::runtime {

int64_t TokenSource::RowCount(int64_t tokens, int64_t length) {
  return tokens < 1 ? 0 : (tokens - 1) / length;
}

TokenSource::TokenSource(std::shared_ptr<const TokenStream> stream,
                         SignatureField field)
    : stream_(std::move(stream)), field_(std::move(field)) {}

absl::Status TokenSource::Fill(int64_t row, absl::Span<std::byte> dst) const {
  const int64_t length = field_.sample_elements();
  const int64_t width = ByteWidth(field_.dtype);
  const int64_t start = row * length + (field_.is_successor() ? 1 : 0);
  std::array<uint32_t, 4096> piece;
  const int64_t piece_elements = static_cast<int64_t>(piece.size());
  for (int64_t first = 0; first < length; first += piece_elements) {
    const int64_t here = std::min(piece_elements, length - first);
    RETURN_IF_ERROR(stream_->Read(start + first,
                                  {piece.data(), static_cast<size_t>(here)}));
    for (int64_t i = 0; i < here; ++i) {
      StoreInteger(field_.dtype, piece[i], dst.data() + (first + i) * width);
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
