// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32C, the checksum of many formats of records (RFC 3720, appendix B.4).
#ifndef ACCEL_RUNTIME_BASE_CRC32C_H_
#define ACCEL_RUNTIME_BASE_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// Castagnoli's polynomial, reflected, all ones before and behind. It finds
// accidents; against people there is Sha256.
// Threads: any.
uint32_t Crc32c(absl::string_view bytes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_CRC32C_H_
