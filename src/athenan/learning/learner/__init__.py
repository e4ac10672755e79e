"""Learning: the steps that change the network, and where its first weights come from."""
