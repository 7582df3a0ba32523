"""The account of a job: checks that read its files, its stored requirements and the documents by themselves."""
