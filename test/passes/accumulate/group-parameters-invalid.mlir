// RUN: split-file %s %t
// RUN: accel-opt %t/rules.mlir --accel-group-parameters='rules={wait:lr=0.1x},{mask:decay=0},{weight},{weight:rate=1},{weight:lr=-1x},{weight:lr=1x,lr=2},{weight:decay=inf},{:decay=0}' --verify-diagnostics
// RUN: accel-opt %t/regex.mlir --accel-group-parameters='rules="(net:lr=1x"' --verify-diagnostics
// RUN: accel-opt %t/zero.mlir --accel-group-parameters='rules={weight:lr=1e-4} lr=0' --verify-diagnostics
// RUN: accel-opt %t/choices.mlir --accel-group-parameters='layer-decay=1.5 decay=all' --verify-diagnostics
// RUN: accel-opt %t/blocks.mlir --accel-group-parameters='layer-decay=0.5' --verify-diagnostics
// RUN: accel-opt %t/rows.mlir --accel-group-parameters='layer-decay=0.5' --verify-diagnostics
// RUN: accel-opt %t/step.mlir --accel-group-parameters='decay=hf' --verify-diagnostics

//--- rules.mlir
// Every rule that says nothing, or nothing that can be read, is named.
// expected-error@below {{--group='wait:lr=0.1x': expected a pattern that matches the name of a parameter that trains, got one that matches none; near names are 'net.weight', 'net.bias' (--compile-to=frontend prints all)}}
// expected-error@below {{--group='mask:decay=0': expected a pattern that matches the name of a parameter that trains, got one that matches only what is frozen; near names are 'net.bias', 'net.weight' (--compile-to=frontend prints all)}}
// expected-error@below {{--group='weight': expected a pattern, a colon and a property}}
// expected-error@below {{--group='weight:rate=1': expected lr=X or decay=X behind the colon, got 'rate=1'}}
// expected-error@below {{--group='weight:lr=-1x': expected a number that is not negative, or a factor such as 0.1x, got 'lr=-1x'}}
// expected-error@below {{--group='weight:lr=1x,lr=2': expected one lr, got several}}
// expected-error@below {{--group='weight:decay=inf': expected a number that is not negative, got 'decay=inf'}}
// expected-error@below {{--group=':decay=0': the pattern is empty}}
module {
  accel.parameter @net.weight : tensor<4x4xf32> trainable
  accel.parameter @net.bias : tensor<4xf32> trainable
  accel.parameter @net.mask : tensor<4xf32>
}

//--- regex.mlir
// expected-error@below {{--group='(net:lr=1x': parentheses not balanced}}
module {
  accel.parameter @net.weight : tensor<4x4xf32> trainable
}

//--- zero.mlir
// expected-error@below {{--group='weight:lr=1e-4': expected a factor such as lr=0.1x where --lr is 0, got a rate}}
module {
  accel.parameter @net.weight : tensor<4x4xf32> trainable
}

//--- choices.mlir
// expected-error@below {{--decay: expected rank or hf, got 'all'}}
// expected-error@below {{--layer-decay: expected a number above 0 and up to 1, got 1.5}}
module {
  accel.parameter @net.weight : tensor<4x4xf32> trainable
}

//--- blocks.mlir
// Numbers in front of names that differ make no blocks.
// expected-error@below {{--layer-decay: expected parameters of blocks, whose names differ in one whole number between dots, as 'encoder.layer.0.norm.weight' and 'encoder.layer.1.norm.weight' do, got none among 2, such as 'layers.0.fc1.weight', 'layers.1.fc2.weight'; give rates by name with --group='REGEX:lr=0.1x'}}
module {
  accel.parameter @layers.0.fc1.weight : tensor<4x4xf32> trainable
  accel.parameter @layers.1.fc2.weight : tensor<4x4xf32> trainable
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
    }
    return
  }
}

//--- rows.mlir
// expected-error@below {{--layer-decay: expected one row of blocks, got 'decoder.N' and 'encoder.N' with 2 each; give rates by name with --group='REGEX:lr=0.1x'}}
module {
  accel.parameter @encoder.0.weight : tensor<4x4xf32> trainable
  accel.parameter @encoder.1.weight : tensor<4x4xf32> trainable
  accel.parameter @decoder.0.weight : tensor<4x4xf32> trainable
  accel.parameter @decoder.1.weight : tensor<4x4xf32> trainable
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
    }
    return
  }
}

//--- step.mlir
// expected-error@below {{expected a function of role step with one accel.repeat, got 0}}
module {
  accel.parameter @net.weight : tensor<4x4xf32> trainable
}
