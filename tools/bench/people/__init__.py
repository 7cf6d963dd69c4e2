"""Who asks: people who are signed in, and the clients that act for them."""
