"""Sessions: one party's side of what two parties, or any larger number, compute together."""
