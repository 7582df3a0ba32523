"""What plain rules can tell of a brief: product type, name, pages, data, and what is missing.

The knowledge of each product type (keywords in English and Chinese, pages, data model) is one file in `products/`;
whoever needs it takes it from here.
"""
