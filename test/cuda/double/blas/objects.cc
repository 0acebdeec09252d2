// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/objects.h"

namespace accel::cuda_double::blas {

Objects<cuda::BlasHandle, Library>& Libraries() {
  static auto& objects = *new Objects<cuda::BlasHandle, Library>(1);
  return objects;
}

Objects<cuda::MatmulDesc, Desc>& Descs() {
  static auto& objects = *new Objects<cuda::MatmulDesc, Desc>(2);
  return objects;
}

Objects<cuda::MatrixLayout, Layout>& Layouts() {
  static auto& objects = *new Objects<cuda::MatrixLayout, Layout>(3);
  return objects;
}

Objects<cuda::MatmulPreference, Preference>& Preferences() {
  static auto& objects = *new Objects<cuda::MatmulPreference, Preference>(4);
  return objects;
}

}  // namespace accel::cuda_double::blas
