"""What the tool knows about JAX: names, releases, the meaning of rule methods. Nothing in here edits."""
