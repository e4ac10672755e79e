"""Setups of Arimaa as AEI writes them."""

GOLD = "Ra2 Rb2 Rc2 Rd2 Re2 Rf2 Rg2 Rh2 Ca1 Db1 Hc1 Md1 Ee1 Hf1 Dg1 Ch1"
SILVER = "ra7 rb7 rc7 rd7 re7 rf7 rg7 rh7 ca8 db8 hc8 ed8 me8 hf8 dg8 ch8"
