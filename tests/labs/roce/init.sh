#!/bin/busybox sh
# shellcheck shell=dash
# init.sh: the guest's first program. Loads the modules,
# makes this machine's root its root, with a file system in memory on top, and
# runs the job there. The guest ends after that in any case.
b=/bin/busybox

mount_() {
	$b mkdir -p "$3"
	$b mount -t "$1" $4 "$2" "$3" || echo "init: can't mount $3"
}

$b mkdir -p /proc /sys /dev
mount_ proc proc /proc
mount_ sysfs sys /sys
mount_ devtmpfs dev /dev
for module in /modules/*; do
	$b insmod "$module" 2>/dev/null || echo "init: no ${module##*/}"
done
mount_ 9p root /host "-o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose"
mount_ tmpfs top /top
$b mkdir -p /top/upper /top/work
mount_ overlay overlay /root \
	"-o lowerdir=/host,upperdir=/top/upper,workdir=/top/work"
mount_ proc proc /root/proc
mount_ sysfs sys /root/sys
mount_ devtmpfs dev /root/dev
for directory in dev/shm run; do
	mount_ tmpfs tmpfs /root/$directory
done
mount_ 9p share /root/lab "-o trans=virtio,version=9p2000.L,msize=512000"
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root
ulimit -l unlimited
$b stty -F /dev/ttyS1 raw
$b chroot /root /bin/sh /lab/job </dev/null >/dev/ttyS1 2>&1
$b sync
echo o >/proc/sysrq-trigger
$b sleep 10
