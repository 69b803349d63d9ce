"""Pictures: frames in, Axes and PNG files out. The only room that knows matplotlib."""
