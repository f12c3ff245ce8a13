//! Shell: MediaPipe operators as a dynamic plugin.

arenite_abi::export_plugin!(arenite_mediapipe::PLUGIN);
