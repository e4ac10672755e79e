"""AEI, the Arimaa Engine Interface, version 1 (B. Haskin): a server and a client."""
