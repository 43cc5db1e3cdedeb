"""From bytes to bytes: decode, rewrite, splice, check, write."""
