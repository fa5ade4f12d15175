# balancers.awk: the names of all balancers, of what `sateen info` prints.

/^[a-z]/ { section = $1 }
section == "balancers" && /^  / { print $1 }
