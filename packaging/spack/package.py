# A recipe for Spack (https://spack.io). Put it into a repository of your own as
# packages/sateen/package.py; docs/install.md has the commands.
from spack.package import *


class Sateen(AutotoolsPackage):
    """Divide and conquer on clusters, and on clusters of clusters: programs in
    C and C++ spawn calls, and idle processors steal them over the network."""

    # The recipe builds the tree that `spack develop` names.
    version("1.0.0")

    license("MIT", checked_by="sateen")

    variant("ofi", default=True, description="Networks by libfabric")
    variant("ucx", default=False, description="Networks by UCX")
    variant("verbs", default=False, description="InfiniBand and RoCE by verbs")
    variant("pmix", default=True, description="Starts by mpirun and srun")
    variant("gateways", default=True, description="Runs on several sites")
    variant("netcdf", default=False, description="Grids in files of netCDF")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf@2.71:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gawk", type="build")
    depends_on("xxhash")
    depends_on("hwloc@2:")
    depends_on("libpng")
    depends_on("libmicrohttpd@0.9.71:")
    depends_on("ncurses")
    depends_on("libfabric", when="+ofi")
    depends_on("ucx", when="+ucx")
    depends_on("rdma-core", when="+verbs")
    depends_on("pmix", when="+pmix")
    depends_on("openssl", when="+gateways")
    depends_on("hiredis", when="+gateways")
    depends_on("yajl")
    depends_on("netcdf-c", when="+netcdf")

    def autoreconf(self, spec, prefix):
        autoreconf("-fi")

    def configure_args(self):
        args = ["--without-openblas"]
        for variant, libraries in (
            ("ofi", ["libfabric"]),
            ("ucx", ["ucx"]),
            ("verbs", ["verbs"]),
            ("pmix", ["pmix"]),
            ("gateways", ["openssl", "hiredis"]),
            ("netcdf", ["netcdf"]),
        ):
            with_or_without = "with" if self.spec.satisfies("+" + variant) else "without"
            args += ["--{0}-{1}".format(with_or_without, name) for name in libraries]
        return args
