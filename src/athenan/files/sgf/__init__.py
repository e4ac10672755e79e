"""The Smart Game Format, FF[4] (red-bean.com/sgf): matches with variations, comments and values."""
