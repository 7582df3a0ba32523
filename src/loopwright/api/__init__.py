"""What `import loopwright` offers: agents as objects, functions as tools, results as values."""
