"""UCI (S. Meyer-Kahlen, 2006) and its relatives, for all games: UGI (kz04px), and UCCI (Xiangqi; Chen M., 2004)."""
