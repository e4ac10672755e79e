"""The protocol of Gomocup, for Gomoku (P. Laštovička, 2000): a server, which Gomocup calls a brain, and a client."""
