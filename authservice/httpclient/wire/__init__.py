"""How a request goes over the network: addresses, connections, TLS and what comes back."""
