"""The LLM seam: one client for every OpenAI-compatible endpoint, and a model that answers with no endpoint at all."""
