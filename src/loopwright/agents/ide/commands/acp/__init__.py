"""The ide agent behind the Agent Client Protocol: an editor is its surface."""
