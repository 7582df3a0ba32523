"""What the model is told: context packs and prompts."""
