// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two declarations of a C function are called alike.
#ifndef ACCEL_TEST_CUDA_ABI_SAME_ABI_H_
#define ACCEL_TEST_CUDA_ABI_SAME_ABI_H_

#include <type_traits>

namespace accel::testing {

// Passed and returned in the same register, and of the same width.
template <typename A, typename B>
inline constexpr bool kSameValue =
    std::is_void_v<A> == std::is_void_v<B> &&
    std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
    sizeof(std::conditional_t<std::is_void_v<A>, char, A>) ==
        sizeof(std::conditional_t<std::is_void_v<B>, char, B>);

template <typename Ours, typename Theirs> struct SameAbi : std::false_type {};

template <typename R, typename... P, typename S, typename... Q>
struct SameAbi<R (*)(P...), S (*)(Q...)> {
  static constexpr bool Parameters() {
    if constexpr (sizeof...(P) == sizeof...(Q)) {
      return (kSameValue<P, Q> && ...);
    } else {
      return false;
    }
  }
  static constexpr bool value = kSameValue<R, S> && Parameters();
};

} // namespace accel::testing

#endif // ACCEL_TEST_CUDA_ABI_SAME_ABI_H_
