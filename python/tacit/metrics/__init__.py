"""Metrics of runs for monitoring systems: Prometheus and OpenTelemetry, each with an extra of its own.

A metric holds what a report says that is public: seconds, bytes and rounds by phase, and how many runs were
done or failed, by the type of the error. No input, output, key or text of an error becomes a metric.
"""
