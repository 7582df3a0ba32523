"""One reader for each type of value that a message names: dates, times, durations, lengths, money, colours, counts."""

from loopwright.kernel.account.reading.values.reader import Value, ValueType, read_values, values_in

__all__ = ["Value", "ValueType", "read_values", "values_in"]
