"""The numbers in the tables and figures of the papers that Tacit follows, each once."""
