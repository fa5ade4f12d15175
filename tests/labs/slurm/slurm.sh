# shellcheck shell=sh
# slurm.sh: a Slurm from Debian's packages: a controller on this host, `front`,
# and a slurmd on each of the hosts n1, n2 and n3. All their files are in $lab.

# lab_hosts: makes hosts with separate networks, processes and boot identities.
lab_hosts() {
	hostname front
	ip link set lo up
	mount -t tmpfs run /run
	cat >"$lab/hosts" <<-END
		127.0.0.1 localhost
		10.9.0.9 front
		10.9.0.1 n1
		10.9.0.2 n2
		10.9.0.3 n3
	END
	mount --bind "$lab/hosts" /etc/hosts
	ip netns attach front $$
	lan cluster
	plug front lan0 cluster 10.9.0.9/24
	for number in 1 2 3; do
		host n$number
		plug n$number lan0 cluster 10.9.0.$number/24
	done
}

lab_munge() {
	mkdir -m 755 "$lab/munge"
	(
		umask 077
		head -c 128 /dev/urandom >"$lab/munge/key"
	)
	/usr/sbin/munged --force --key-file="$lab/munge/key" \
		--socket="$lab/munge/socket" --pid-file="$lab/munge/pid" \
		--log-file="$lab/munge/log" --seed-file="$lab/munge/seed" \
		2>"$lab/munge/err"
}

# 8 CPUs on each host, whatever it has, so that 16 tasks fit. Tasks are bound to
# CPUs only if srun is told to.
lab_config() {
	cat <<-END
		ClusterName=lab
		SlurmctldHost=front
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$lab/munge/socket
		StateSaveLocation=$lab/slurm/state
		SlurmdSpoolDir=$lab/slurm/spool.%n
		TmpFS=$lab/slurm/tmp.%n
		SlurmctldPidFile=$lab/slurm/slurmctld.pid
		SlurmdPidFile=$lab/slurm/slurmd.%n.pid
		SlurmctldLogFile=$lab/slurm/log.slurmctld
		SlurmdLogFile=$lab/slurm/log.%n
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/affinity
		TaskPluginParam=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		MpiDefault=pmix
		ReturnToService=2
		PropagateResourceLimits=NONE
		NodeName=n[1-3] CPUs=8
		PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE
	END
}

# lab_idle: waits until all hosts are idle; false after 30 s.
lab_idle() {
	for _ in $(seq 150); do
		[ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 3 ] && return
		sleep 0.2
	done
	return 1
}

# lab_begin: starts all daemons; if that fails, prints their messages.
lab_begin() {
	mkdir -m 755 "$lab/slurm" "$lab/slurm/state"
	lab_config >"$lab/slurm.conf"
	echo CgroupPlugin=cgroup/v1 >"$lab/cgroup.conf" # which isn't used
	export SLURM_CONF="$lab/slurm.conf"
	lab_hosts
	lab_munge && slurmctld && {
		for node in n1 n2 n3; do
			mkdir "$lab/slurm/tmp.$node" "$lab/slurm/spool.$node"
			on $node slurmd
		done
		lab_idle
	} && return
	cat "$lab/munge/err" "$lab"/slurm/log.* 2>/dev/null |
		tail -n 30 | sed 's/^/# /'
	return 1
}
