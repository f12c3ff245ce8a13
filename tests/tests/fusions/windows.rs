//! Convolutions of floats with what precedes and follows them.

use super::{Net, PAD_ROWS_AND_COLUMNS, REAL, steps};

#[test]
fn a_pad_is_fused_into_a_convolution() {
    for (taps, stride) in [(3, 1), (3, 2), (5, 3)] {
        let mut net = Net::new();
        let x = net.input(REAL, &[2, 9, 10, 5]);
        let padded = net.pad(&x, PAD_ROWS_AND_COLUMNS);
        let y = net.conv(&padded, taps, stride, [5, 18]);
        assert_eq!(steps(&net.finish(&y)), ["CONV_2D"], "{taps} taps, stride {stride}");

        let mut net = Net::new();
        let x = net.input(REAL, &[2, 9, 10, 19]);
        let padded = net.pad(&x, PAD_ROWS_AND_COLUMNS);
        let y = net.depthwise(&padded, taps, stride, 19);
        assert_eq!(steps(&net.finish(&y)), ["DEPTHWISE_CONV_2D"], "{taps} taps, stride {stride}");
    }
}

/// Networks that were trained with batch normalization have such filters behind PRELU.
#[test]
fn a_depthwise_filter_of_one_tap_is_fused_into_the_layer_before() {
    for channels in [8, 19, 24] {
        let mut net = Net::new();
        let x = net.input(REAL, &[2, 9, 10, 5]);
        let y = net.conv(&x, 3, 1, [5, channels]);
        let slopes = net.weights(&[1, 1, channels]);
        let y = net.of_two("PRELU", &y, &slopes);
        let y = net.depthwise(&y, 1, 1, channels);
        assert_eq!(steps(&net.finish(&y)), ["CONV_2D"], "{channels} channels");

        let mut net = Net::new();
        let x = net.input(REAL, &[2, 9, 10, channels]);
        let y = net.depthwise(&x, 1, 1, channels);
        assert_eq!(steps(&net.finish(&y)), ["broadcast"], "{channels} channels");
    }
}
