"""A model of the user's own: llama.cpp in a background process, one per machine, started when somebody asks it."""
