#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tarball, unpacked by somebody who is not root where nothing is installed, and moved. Usage: tarball_test.py [RELEASE...]."""
import sys

import bare

USER = "useradd -m -d /srv/someone -s /bin/bash someone"


def check(release, tarball):
    with bare.chroot(release, {tarball.parent: "/packages"}) as chroot:
        print(f"{chroot.version()}: {tarball.name}, {tarball.stat().st_size / 2**20:.1f} MiB", flush=True)
        chroot.run(f"{USER} && su someone -c 'mkdir ~/a && tar -xzf /packages/{tarball.name} -C ~/a --strip-components=1 && mv ~/a ~/b'")
        berth = "/srv/someone/b/bin/berth"
        libraries = chroot.run(f"ldd {berth}")
        assert "not found" not in libraries, libraries
        bare.check_program(chroot, berth)


def main():
    tarball = bare.made("packages", "berth-*-linux-*.tar.gz")[-1]
    for release in sys.argv[1:] or ["debian12", "debian13"]:
        check(release, tarball)


if __name__ == "__main__":
    main()
