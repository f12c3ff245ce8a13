//! Custom ops of TensorFlow Lite, of TensorFlow Lite Micro's signal library and of MediaPipe, which are looked up by
//! name.

pub mod aeq_hadamard_rotation;
pub mod audio_spectrogram;
pub mod convolution_2d_transpose_bias;
pub mod dense_image_warp;
pub mod max_pool_with_argmax;
pub mod max_pooling_with_argmax_2d;
pub mod max_unpooling_2d;
pub mod mfcc;
pub mod numeric_verify;
pub mod signal_delay;
pub mod signal_energy;
pub mod signal_fft_auto_scale;
pub mod signal_filter_bank;
pub mod signal_filter_bank_log;
pub mod signal_filter_bank_spectral_subtraction;
pub mod signal_filter_bank_square_root;
pub mod signal_framer;
pub mod signal_irfft;
pub mod signal_overlap_add;
pub mod signal_pcan;
pub mod signal_rfft;
pub mod signal_stacker;
pub mod signal_window;
pub mod tflite_detection_post_process;
