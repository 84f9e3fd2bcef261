"""How a conversation looks at parts: four layers, from which parts there are to single nodes, and the read tools for them."""
