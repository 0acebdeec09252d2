// RUN: split-file %s %t
// RUN: accel-opt %t/nothing.mlir --accel-insert-precision-casts='precision=bf16 rules=exclude=x,include=w,exclude=^mat' --verify-diagnostics
// RUN: accel-opt %t/kind.mlir --accel-insert-precision-casts='precision=bf16 rules=omit=w' --verify-diagnostics
// RUN: accel-opt %t/regex.mlir --accel-insert-precision-casts='precision=bf16 rules=exclude=[w' --verify-diagnostics
// RUN: accel-opt %t/empty.mlir --accel-insert-precision-casts='precision=bf16 rules=include=' --verify-diagnostics
// RUN: accel-opt %t/none.mlir --accel-insert-precision-casts='precision=bf16 rules=exclude=w' --verify-diagnostics
// RUN: accel-opt %t/table.mlir --accel-insert-precision-casts='precision=bf16 rules=include=table' --verify-diagnostics
// RUN: accel-opt %t/no-product.mlir --accel-insert-precision-casts=precision=bf16 --verify-diagnostics
// RUN: accel-opt %t/no-microbatch.mlir --accel-insert-precision-casts=precision=bf16 --verify-diagnostics
// RUN: accel-opt %t/f32.mlir --accel-insert-precision-casts=rules=exclude=w --verify-diagnostics
// RUN: accel-opt %t/precision.mlir --accel-insert-precision-casts=precision=f8 --verify-diagnostics
// RUN: accel-opt %t/fp8-none.mlir --accel-insert-precision-casts='precision=bf16 fp8=current' --verify-diagnostics
// RUN: accel-opt %t/fp8-recipe.mlir --accel-insert-precision-casts='precision=bf16 fp8=best' --verify-diagnostics
// RUN: accel-opt %t/fp8-format.mlir --accel-insert-precision-casts='precision=bf16 fp8=current fp8-format=e3m4' --verify-diagnostics
// RUN: accel-opt %t/fp8-amax.mlir --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-amax=mean' --verify-diagnostics
// RUN: accel-opt %t/fp8-history.mlir --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-history=0' --verify-diagnostics
// RUN: accel-opt %t/fp8-margin.mlir --accel-insert-precision-casts='precision=bf16 fp8=delayed fp8-margin=21' --verify-diagnostics
// RUN: accel-opt %t/fp8-alone.mlir --accel-insert-precision-casts='precision=f16 fp8=current' --verify-diagnostics
// RUN: accel-opt %t/residual.mlir --accel-insert-precision-casts='precision=bf16 residual=f16' --verify-diagnostics

//--- nothing.mlir
// Every pattern matches something, and each that does not is named.
accel.parameter @w : tensor<8x8xf32> trainable
// expected-error@below {{--precision-exclude='x': expected a pattern that matches the name of a parameter or a node of a product, an attention or an embedding, got one that matches none (--compile-to=differentiate prints parameters)}}
// expected-error@below {{--precision-exclude='^mat': expected a pattern that matches the name of a parameter or a node of a product, an attention or an embedding, got one that matches none}}
func.func @microbatch(%x: tensor<4x8xf32>) {
  %w = accel.read @w : tensor<8x8xf32>
  %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

//--- kind.mlir
// expected-error@below {{rule 'omit=w': expected include=REGEX or exclude=REGEX, got one that cannot be read: it begins with neither include= nor exclude=}}
func.func @microbatch() {
  return
}

//--- regex.mlir
// expected-error@below {{rule 'exclude=[w': expected include=REGEX or exclude=REGEX, got one that cannot be read: brackets ([ ]) not balanced}}
func.func @microbatch() {
  return
}

//--- empty.mlir
// expected-error@below {{rule 'include=': expected include=REGEX or exclude=REGEX, got one that cannot be read: the pattern is empty}}
func.func @microbatch() {
  return
}

//--- none.mlir
// What was asked for happens somewhere.
// expected-error@below {{expected --bf16 to apply to a product, got none in bf16: --precision-exclude and --precision-include leave none; leave out --bf16 to train in f32}}
module {
  accel.parameter @w : tensor<8x8xf32> trainable
  func.func @microbatch(%x: tensor<4x8xf32>) {
    %w = accel.read @w : tensor<8x8xf32>
    %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return
  }
}

//--- table.mlir
// An embedding alone multiplies nothing.
// expected-error@below {{expected --bf16 to apply to a product, got none in bf16: --precision-exclude and --precision-include leave none}}
module {
  accel.parameter @w : tensor<8x8xf32> trainable
  accel.parameter @table : tensor<16x8xf32> trainable
  func.func @microbatch(%ids: tensor<4xi64>) {
    %table = accel.read @table : tensor<16x8xf32>
    %x = accel.gather %table, %ids : tensor<16x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
    %w = accel.read @w : tensor<8x8xf32>
    %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return
  }
}

//--- no-product.mlir
// expected-error@below {{expected --bf16 to apply to a product, got none in bf16: the model has no product; leave out --bf16 to train in f32}}
module {
  func.func @microbatch(%x: tensor<4x8xf32>) {
    return
  }
}

//--- no-microbatch.mlir
// expected-error@below {{expected a function @microbatch, got none}}
module {
}

//--- f32.mlir
// Rules without --bf16 would do nothing.
// expected-error@below {{--precision-exclude and --precision-include: expected --bf16 or --fp16 beside them, got a plan of f32, in which no rule changes anything}}
module {
  func.func @microbatch() {
    return
  }
}

//--- precision.mlir
// expected-error@below {{precision: expected f32, bf16 or f16, got 'f8'}}
module {
  func.func @microbatch() {
    return
  }
}

//--- residual.mlir
// expected-error@below {{--residual-dtype: expected bf16 or f32, got 'f16'}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-none.mlir
// Nothing falls back in silence: the reasons say what to change.
// expected-error@below {{expected --fp8 to apply to a product, got none in 8 bits: M, N, K of its forward product are 4, 8, 8, not all multiples of 16; it makes the logits; train with --bf16 instead}}
module {
  accel.parameter @w : tensor<8x8xf32> trainable
  accel.parameter @v : tensor<8x8xf32> trainable
  func.func @microbatch(%x: tensor<4x8xf32>) {
    %w = accel.read @w : tensor<8x8xf32>
    %z = accel.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %v = accel.read @v : tensor<8x8xf32>
    %y = accel.matmul %z, %v : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    return
  }
}

//--- fp8-recipe.mlir
// expected-error@below {{--fp8: expected current, delayed, block or mx, got 'best'}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-format.mlir
// expected-error@below {{--fp8-format: expected hybrid or e4m3, got 'e3m4'}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-amax.mlir
// expected-error@below {{--fp8-amax: expected max or most_recent, got 'mean'}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-history.mlir
// expected-error@below {{--fp8-history: expected 1 to 65536 steps, got 0}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-margin.mlir
// expected-error@below {{--fp8-margin: expected 0 to 20, got 21}}
module {
  func.func @microbatch() {
    return
  }
}

//--- fp8-alone.mlir
// expected-error@below {{fp8: expected precision=bf16 beside it, got 'f16'}}
module {
  func.func @microbatch() {
    return
  }
}
