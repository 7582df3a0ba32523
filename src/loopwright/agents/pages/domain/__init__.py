"""What an app is about, read from the brief by a model in one small question, and the pages that show it."""
