"""What users may ask for, one kind a file: each reads a clause into an intent, which plans itself into a draft."""
