"""Claims about Eris and what became of them."""
