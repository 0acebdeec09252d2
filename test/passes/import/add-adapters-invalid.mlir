// RUN: split-file %s %t
// RUN: accel-opt %t/nothing.mlir --accel-add-adapters=targets=h.0.fz --verify-diagnostics
// RUN: accel-opt %t/others.mlir --accel-add-adapters=targets=table --verify-diagnostics
// RUN: accel-opt %t/tied.mlir --accel-add-adapters=targets=head --verify-diagnostics
// RUN: accel-opt %t/both.mlir --accel-add-adapters=targets=turned --verify-diagnostics
// RUN: accel-opt %t/modules.mlir --accel-add-adapters --verify-diagnostics
// RUN: accel-opt %t/head.mlir --accel-add-adapters --verify-diagnostics
// RUN: accel-opt %t/module.mlir --accel-add-adapters=modules=h.1.fc --verify-diagnostics
// RUN: accel-opt %t/brought.mlir --accel-add-adapters --verify-diagnostics
// RUN: accel-opt %t/regex.mlir --accel-add-adapters=targets=[fc --verify-diagnostics
// RUN: accel-opt %t/rank.mlir --accel-add-adapters=rank=0 --verify-diagnostics
// RUN: accel-opt %t/rows.mlir --accel-add-adapters="targets=fc dropout=0.1" --verify-diagnostics

//--- nothing.mlir
// What a message lists are families of names, those first that are like the pattern.
// expected-error@below {{--lora: expected targets= to match the name of a linear layer, got 'h.0.fz', which matches nothing; linear layers are 'h.*.fc', 'h.*.projection'}}
module {
  accel.parameter @h.0.projection.weight : tensor<4x4xf32>
  accel.parameter @h.0.fc.weight : tensor<4x4xf32>
  accel.parameter @h.1.fc.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %p = accel.read @h.0.projection.weight : tensor<4x4xf32>
    %a = accel.read @h.0.fc.weight : tensor<4x4xf32>
    %b = accel.read @h.1.fc.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %p : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %z = accel.matmul %y, %a : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %u = accel.matmul %z, %b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %u : tensor<8x4xf32>
  }
}

//--- others.mlir
// expected-error@below {{--lora: expected targets= to match the name of a linear layer, got 'table', which matches only what is no linear layer ('table'); linear layers are none}}
module {
  accel.parameter @table.weight : tensor<9x4xf32>
  func.func @forward(%ids: tensor<8xi64>) -> tensor<8x4xf32> {
    %table = accel.read @table.weight : tensor<9x4xf32>
    %x = accel.gather %table, %ids : tensor<9x4xf32>, tensor<8xi64> -> tensor<8x4xf32>
    return %x : tensor<8x4xf32>
  }
}

//--- tied.mlir
// expected-error@below {{--lora: 'head': expected a weight that only products of one module read, in one orientation, got one that 'accel.gather' reads, too; leave it out of targets=head}}
module {
  accel.parameter @head.weight : tensor<9x4xf32>
  func.func @forward(%ids: tensor<8xi64>) -> tensor<8x9xf32> {
    %table = accel.read @head.weight : tensor<9x4xf32>
    %x = accel.gather %table, %ids : tensor<9x4xf32>, tensor<8xi64> -> tensor<8x4xf32>
    %y = accel.matmul %x, %table {transpose_rhs} : tensor<8x4xf32>, tensor<9x4xf32> -> tensor<8x9xf32>
    return %y : tensor<8x9xf32>
  }
}

//--- both.mlir
// expected-error@below {{--lora: 'turned': expected a weight that only products of one module read, in one orientation, got one that products read in both orientations; leave it out of targets=turned}}
module {
  accel.parameter @turned.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %w = accel.read @turned.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %z = accel.matmul %y, %w {transpose_rhs} : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %z : tensor<8x4xf32>
  }
}

//--- modules.mlir
// PEFT gives each of two tied modules a pair of its own; the same module twice has one.
// expected-error@below {{--lora: 'first': expected a weight that only products of one module read, in one orientation, got one that modules 'first' and 'second' share; name the others with targets=REGEX}}
module {
  accel.parameter @first.weight : tensor<4x4xf32>
  accel.parameter @head.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %w = accel.read @first.weight : tensor<4x4xf32>
    %h = accel.read @head.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"first">["a"])
    %u = accel.matmul %y, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"first@1">["b"])
    %z = accel.matmul %u, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32> loc(fused<"second">["c"])
    %l = accel.matmul %z, %h : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %l : tensor<8x4xf32>
  }
}

//--- head.mlir
// A model of one layer is an output head.
// expected-error@below {{--lora: expected a linear layer behind which there is another one, got none; name the layers with targets=REGEX; they are 'fc'}}
module {
  accel.parameter @fc.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %w = accel.read @fc.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
}

//--- module.mlir
// expected-error@below {{--lora: expected the adapters of linear layers, got some of 'h.1.fc', which the model does not have; linear layers are 'h.*.fc'}}
module {
  accel.parameter @h.0.fc.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %w = accel.read @h.0.fc.weight : tensor<4x4xf32>
    %y = accel.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
}

//--- brought.mlir
// expected-error@below {{--lora: expected a model without adapters, got 'fc.lora_A.default.weight'; leave the option out and write --train='lora_', or export the model without them}}
module {
  accel.parameter @fc.lora_A.default.weight : tensor<4x4xf32>
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

//--- regex.mlir
// expected-error@below {{--lora: expected a regular expression, got '[fc': brackets ([ ]) not balanced}}
module {
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

//--- rank.mlir
// expected-error@below {{expected a function @forward and a rank from 1 on, got rank 0}}
module {
  func.func @forward(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

//--- rows.mlir
// Dropout is drawn for each sample.
// expected-error@below {{--lora: dropout=1.000000e-01: expected rows of samples in front of 'fc', got 'tensor<3x5xf32>'; leave dropout= out}}
module attributes {accel.batch = 8 : i64} {
  accel.parameter @fc.weight : tensor<5x4xf32>
  func.func @forward(%x: tensor<3x5xf32>) -> tensor<3x4xf32> {
    %w = accel.read @fc.weight : tensor<5x4xf32>
    %y = accel.matmul %x, %w : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
    return %y : tensor<3x4xf32>
  }
}
