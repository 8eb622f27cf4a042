"""The language: functions between roles, written like NumPy."""
