"""Reading documents sentence by sentence: what code can decide it decides, the rest is one small question each."""
