"""How a seat's messages travel."""
