mod _t {}
