// RUN: accel-opt %s --accel-number-dropout-sites=dropout=1.5 --verify-diagnostics

// expected-error@below {{--dropout: expected 'model', 'off' or a probability in [0, 1), got '1.5'}}
module {
}
