// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256 through libcrypto's EVP interface.
#include "runtime/base/sha256.h"

#include <openssl/evp.h>

#include <cstdlib>

#include "absl/strings/escaping.h"

namespace accel::runtime {
namespace {

// libcrypto fails here only when it is out of memory or built without SHA-256;
// no caller could go on, and a wrong digest must not get out.
void CheckCrypto(int result) {
  if (result != 1) {
    std::abort();
  }
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  CheckCrypto(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::Update(absl::Span<const std::byte> bytes) {
  CheckCrypto(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

void Sha256::Update(absl::string_view text) {
  Update(absl::MakeConstSpan(reinterpret_cast<const std::byte*>(text.data()),
                             text.size()));
}

void Sha256::UpdateInteger(uint64_t value) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(value >> (8 * i));
  }
  Update(bytes);
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  unsigned int size = 0;
  CheckCrypto(EVP_DigestFinal_ex(state_->context, digest.data(), &size));
  return digest;
}

Sha256Digest Sha256::Of(absl::Span<const std::byte> bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

std::string ToHex(const Sha256Digest& digest) {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace accel::runtime
