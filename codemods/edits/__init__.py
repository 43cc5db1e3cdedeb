"""Edits of syntax trees that two or more rules use."""
