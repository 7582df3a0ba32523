"""The working agents: each is data, tools and prompts on the kernel, and none imports another."""
