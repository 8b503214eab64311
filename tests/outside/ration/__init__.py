"""A sixth kind that farkas knows nothing of: requests for shares of one stock, taken or refused."""
