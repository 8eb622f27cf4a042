"""What the papers report that Tacit follows: each number of their tables and figures, once."""
