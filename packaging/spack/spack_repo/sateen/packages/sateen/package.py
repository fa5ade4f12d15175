# A recipe for Spack 1 (https://spack.io); docs/install.md has the commands.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Sateen(AutotoolsPackage):
    """Divide and conquer on clusters, and on clusters of clusters: programs in
    C and C++ spawn calls, and idle processors steal them over the network."""

    # The clone that has this recipe. `spack dev-build` builds other trees.
    git = "file://" + ancestor(__file__, 7)

    version("main", branch="main")

    license("MIT", checked_by="sateen")

    variant("ofi", default=True, description="Networks by libfabric")
    variant("ucx", default=False, description="Networks by UCX")
    variant("verbs", default=False, description="InfiniBand and RoCE by verbs")
    variant("pmix", default=True, description="Starts by mpirun and srun")
    variant("gateways", default=True, description="Runs on several sites")
    variant("netcdf", default=False, description="Grids in files of netCDF")

    # configure looks for the same versions.
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf@2.71:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gawk", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("hwloc@2:")
    depends_on("libpng")
    depends_on("libmicrohttpd@0.9.71:")
    depends_on("ncurses")
    depends_on("yajl")
    depends_on("libfabric@1.17:", when="+ofi")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("rdma-core", when="+verbs")
    depends_on("pmix@3:", when="+pmix")
    depends_on("openssl@3:", when="+gateways")
    depends_on("hiredis@0.14:", when="+gateways")
    depends_on("netcdf-c@4.4:", when="+netcdf")

    # The objects stay in one folder.
    build_directory = "spack-build"

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

    # Programs that were linked without -rpath find the library.
    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)

    def check(self):
        """Run the tests of single parts, and of runs of whole programs."""
        with working_dir(self.build_directory):
            make("check", "TESTS=$(STN_TESTS) tests/run.t")

    @run_after("install")
    def keep_program(self):
        cache_extra_test_sources(self, join_path("packaging", "fib.c"))

    def test_program(self):
        """compile a user's program, and run it on four nodes"""
        source = self.test_suite.current_test_cache_dir.packaging.join("fib.c")
        flags = ["-I" + self.prefix.include, "-L" + self.prefix.lib, "-lsateen", "-pthread"]
        flags += ["-Wl,-rpath," + self.prefix.lib]
        cc = Executable(self.spec["c"].package.cc)
        cc("-O2", "-o", "fib", source, *flags)
        sateen = Executable(self.prefix.bin.sateen)
        output = sateen("run", "-n", "4", "--clusters", "2", "./fib", "20", output=str)
        assert output.split() == ["6765"], output
