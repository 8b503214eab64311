"""One search for all kinds whose owners choose plans that share limits."""
