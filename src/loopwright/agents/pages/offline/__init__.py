"""What the pages agent does without a language model: a playbook and its design kit."""
