"""Programs in TASTYL with values that are encrypted."""
