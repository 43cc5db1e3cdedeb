"""From folders to an index: which files there are, what their modules bind, which classes are primitives."""
