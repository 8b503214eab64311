"""The trusted kernel: bounds proved in exact arithmetic, without any solver."""
