"""Style tokens out of an image: where the image comes from, and what its colours say."""
