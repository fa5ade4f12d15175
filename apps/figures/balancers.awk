# balancers.awk: prints the names of all balancers, from `sateen info`'s output.

/^[a-z]/ { section = $1 }
section == "balancers" && /^  / { print $1 }
