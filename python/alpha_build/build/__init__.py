"""From role programs to executables: toolchains, compilation of classes, stamping, the manifest."""
