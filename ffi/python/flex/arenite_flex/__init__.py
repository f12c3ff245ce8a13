"""The plugin of arenite with TensorFlow's ops. arenite finds it by its entry point; nothing imports this module."""
