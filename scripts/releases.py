# SPDX-License-Identifier: Apache-2.0
"""Other releases of Debian and Ubuntu in chroots, to build packages for them and to try these where nothing else is. Needs root and
debootstrap. Mirrors are those of this computer's apt, or BERTH_DEBIAN_MIRROR and BERTH_UBUNTU_MIRROR; chroots stand in BERTH_CHROOTS or
build/chroots: bases stay there, copies go when they are done with."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name by that of its archive.
RELEASES = {"debian12": "bookworm", "debian13": "trixie", "debian-sid": "sid", "ubuntu24.04": "noble"}
FOLDER = pathlib.Path(os.environ.get("BERTH_CHROOTS", ROOT / "build" / "chroots"))
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
WHAT_IT_NEEDS = "chroots need root and the package debootstrap"
PACKAGE_MANAGER = "APT::Sandbox::User root;\n"  # who fetches packages otherwise may not see folders that are bound in


# What is mounted in there is seen by nobody else, and ends with the command: a chroot that is removed holds nothing but its own.
ALONE = ["unshare", "--mount", "--propagation", "private"]


class Unavailable(Exception):
    """This computer cannot make the chroot; says why."""


def mirror(release):
    """Where packages of a release come from."""
    system = release.split("-")[0].rstrip("0123456789.")
    named = os.environ.get(f"BERTH_{system.upper()}_MIRROR")
    if named:
        return named
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)"], capture_output=True, text=True).stdout
    for line in said.splitlines():
        origin, _, address = line.partition(" ")
        if origin.lower() == system and "security" not in address:
            return address.rstrip("/")
    raise Unavailable(f"no mirror of {system} is known here; name one by BERTH_{system.upper()}_MIRROR")


def base(release):
    """A bare system, made once."""
    folder = FOLDER / f"base-{release}"
    if folder.exists():
        return folder
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise Unavailable(WHAT_IT_NEEDS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    half = pathlib.Path(tempfile.mkdtemp(dir=FOLDER, prefix=f"half-{release}-"))
    words = ["debootstrap", "--variant=minbase"]
    if release.startswith("ubuntu"):
        words += ["--components=main,universe", *ubuntu_keyring()]
    words += [RELEASES[release], str(half), mirror(release)]
    if not pathlib.Path("/usr/share/debootstrap/scripts", RELEASES[release]).exists():
        words.append("gutsy")  # a release that this debootstrap does not know yet is made as all of Ubuntu's are
    done = subprocess.run([*ALONE, *words], capture_output=True, text=True)
    if done.returncode != 0:
        remove(half)
        raise Unavailable(f"debootstrap of {release}: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    half.chmod(0o755)
    half.rename(folder)
    return folder


def ubuntu_keyring():
    """The keys of Ubuntu's archive: a package of Debian, but not of Debian 12."""
    name = "usr/share/keyrings/ubuntu-archive-keyring.gpg"
    here, fetched = pathlib.Path("/", name), FOLDER / "ubuntu-archive-keyring.gpg"
    if not here.exists() and not fetched.exists():
        with Chroot("debian13") as chroot:
            chroot.install("ubuntu-keyring")
            shutil.copy(chroot.inside(name), fetched)
    return ["--keyring", str(here if here.exists() else fetched)]


def remove(folder):
    """All of a chroot; not where something is mounted in it."""
    mounted = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    assert not any(place.startswith(f"{folder}/") for place in mounted), f"{folder}: something is mounted in it"
    shutil.rmtree(folder, ignore_errors=True)


class Chroot:
    """A copy of a bare system; `with Chroot("debian13") as chroot: chroot.run("ls")`. `binds`: folders of this computer by where they
    are to be seen."""

    def __init__(self, release, binds=None):
        self.release, self.binds = release, dict(binds or {})

    def __enter__(self):
        source = base(self.release)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER, prefix=f"{self.release}-"))
        subprocess.run(["cp", "-a", "--reflink=auto", f"{source}/.", self.folder], check=True)
        self.folder.chmod(0o755)
        shutil.copy("/etc/resolv.conf", self.folder / "etc" / "resolv.conf")
        (self.folder / "etc" / "apt" / "apt.conf.d" / "berth").write_text(PACKAGE_MANAGER)
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, self.folder / "etc" / "certificates.crt")
        for inside in self.binds.values():
            self.inside(inside).mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_):
        remove(self.folder)

    def inside(self, path):
        """Where a path of the chroot is on this computer."""
        return self.folder / str(path).lstrip("/")

    def run(self, command, cwd="/", env=None, check=True, show=False):
        """What a line for sh says, stdout and stderr; with `show` it is printed as it comes. Mounts last as long as the command."""
        environment = {"HOME": "/srv", "PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                       "PIP_CERT": "/etc/certificates.crt", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", **(env or {})}
        words = " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
        here = shlex.quote(str(self.folder))
        mounts = [f"mount -t proc proc {here}/proc", f"mount --rbind /dev {here}/dev"]
        mounts += [f"mount --bind {shlex.quote(str(outside))} {shlex.quote(str(self.inside(inside)))}" for outside, inside in self.binds.items()]
        line = f"cd {shlex.quote(cwd)} && {command}"
        script = " && ".join([*mounts, f"exec chroot {here} env -i {words} sh -c {shlex.quote(line)}"])
        done = subprocess.run([*ALONE, "--pid", "--fork", "--kill-child", "sh", "-c", script],
                              stdout=None if show else subprocess.PIPE, stderr=None if show else subprocess.STDOUT, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{self.release}: {command}: exit code {done.returncode}\n{done.stdout or ''}")
        return done.stdout if check else done

    def install(self, *packages):
        """By apt, without what is only recommended."""
        self.run(f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {' '.join(packages)}")

    def version(self):
        return re.search(r'^PRETTY_NAME="(.*)"', self.inside("etc/os-release").read_text(), re.MULTILINE)[1]
