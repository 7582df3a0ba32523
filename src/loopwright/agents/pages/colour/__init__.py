"""Colours as numbers: spaces, mixing, luminance and contrast, shades. How CSS writes them is the cascade's matter."""
