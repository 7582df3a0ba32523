"""The pages agent: a multi-page mobile app prototype out of a brief."""
