#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The .deb, in a bare chroot of the release it is for: installed by apt with what it depends on, tried, removed without a trace.
Usage: deb_test.py [RELEASE...], of those that build/packages has one for."""
import re
import sys

import bare

WHERE = ["usr/bin/berth", "usr/libexec/berth/berth-learned", "usr/share/berth/policies/default/config.json", "usr/share/man/man1/berth-place.1",
         "usr/share/bash-completion/completions/berth", "usr/share/zsh/vendor-completions/_berth", "usr/share/fish/vendor_completions.d/berth.fish",
         "usr/share/doc/berth/cli.md", "usr/share/doc/berth/NOTICE", "usr/include/berth/plan/planner.h"]


def check_files(chroot):
    for file in WHERE:
        assert chroot.inside(file).is_file(), file
    library, = chroot.inside("usr/lib").glob("*-linux-gnu/cmake/berth/berthConfig.cmake")
    assert library.with_name("berthTargets.cmake").is_file()
    assert "berth" in chroot.run("bash -c '. /usr/share/bash-completion/completions/berth; complete -p berth'")
    strings = chroot.inside("usr/bin/berth").read_bytes()
    assert b"/docs\0" not in strings.replace(b"/nonexistent/docs\0", b"")


def check_removed(chroot):
    files = [line for line in chroot.run("dpkg -L berth").splitlines() if "berth" in line]
    assert len(files) > 100
    chroot.run("apt-get purge -y -qq berth")
    left = [file for file in files if chroot.inside(file).exists()]
    assert not left, left
    found = chroot.run("find /usr /etc /var/lib /opt -name '*berth*' -not -path '/etc/apt/*'")
    assert not found.strip(), found


def check(release, deb):
    with bare.chroot(release, {deb.parent: "/packages"}) as chroot:
        print(f"{chroot.version()}: {deb.name}, {deb.stat().st_size / 2**20:.1f} MiB", flush=True)
        bare.timed(chroot, "apt install", f"apt-get update -qq && apt-get install -y -qq /packages/{deb.name}")
        check_files(chroot)
        bare.check_program(chroot)
        if (chroot.inside("usr/libexec/berth/berth-learned")).exists():
            bare.check_learned(chroot)
        bare.check_cpp(chroot)
        check_removed(chroot)


def main():
    debs = {re.search(r"~([a-z]+[0-9.]*)_", path.name)[1]: path for path in bare.made("packages", "*.deb")}
    wanted = sys.argv[1:] or sorted(set(debs) & set(bare.releases.RELEASES))
    for release in wanted:
        check(release, debs[release])


if __name__ == "__main__":
    main()
