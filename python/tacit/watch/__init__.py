"""A page on this machine that shows a run while it lasts: `tacit run --watch`."""
