"""The kernel: one journalled, gated, resumable agent loop. It imports no other layer."""
