"""The words for days and times of day, in Chinese and English, and what they mean. It knows no task and writes nothing."""
