#!/bin/sh
# Brings what `make demo`, `make test` and `make lint` need: the machine's packages, .venv, and alpha-build in it.
#
# usage: tools/setup.sh run | lint.  As root on Debian, missing packages come from apt; otherwise they are unpacked
# under .venv/debian where apt can download them, Zig (a Python package) stands in for the compilers, and what is
# left out is said in one line.  ALPHA_TOOLCHAIN=zig asks for Zig instead of the compilers, ALPHA_TOOLCHAIN=all for both.
# pip's own settings (PIP_*) are respected.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd)
python=${PYTHON:-python3}
debian=$here/.venv/debian

have() { command -v "$1" >/dev/null 2>&1; }
say() { printf 'setup: %s\n' "$*" >&2; }

case $(uname -m) in
  x86_64) other=aarch64 cross=g++-aarch64-linux-gnu ;;
  aarch64 | arm64) other=x86_64 cross=g++-x86-64-linux-gnu ;;
  *) say "this machine is $(uname -m); alpha-build knows x86_64 and aarch64" && exit 1 ;;
esac
have "$python" || { say "no $python here; install Python 3.11 or later"; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  say "$("$python" -V) is too old; alpha-build needs 3.11 (set PYTHON to another)"
  exit 1
}

has_ensurepip() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
has_headers() { "$python" -c 'import sysconfig, os, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
has_gnu() { have g++ && have "$other-linux-gnu-g++"; }
has_emulator() { have "qemu-$other-static" || have "qemu-$other" || [ -x "$debian/usr/bin/qemu-$other-static" ]; }

missing_packages() {
  has_ensurepip || printf ' python3-venv'
  has_headers || printf ' python3-dev'
  [ "${ALPHA_TOOLCHAIN:-}" = zig ] || have g++ || printf ' g++'
  [ "${ALPHA_TOOLCHAIN:-}" = zig ] || have "$other-linux-gnu-g++" || printf ' %s' "$cross"
  has_emulator || printf ' qemu-user-static'
  have strace || printf ' strace'
  have nft || printf ' nftables'
  [ "$1" != lint ] || have clang-tidy || printf ' clang-tidy'
}

install_packages() {
  say "apt-get install$*"
  apt-get update -qq
  # shellcheck disable=SC2086  # a list of package names
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $* >/dev/null
}

# Packages without root: apt downloads with folders of its own, dpkg-deb unpacks, for this checkout only.
unpack_packages() {
  mkdir -p "$debian/apt/lists/partial" "$debian/apt/archives/partial"
  printf 'Dir::State "%s";\nDir::State::lists "%s";\nDir::State::status "/var/lib/dpkg/status";\nDir::Cache "%s";\n' \
    "$debian/apt" "$debian/apt/lists" "$debian/apt" >"$debian/apt/conf"
  [ -n "$(ls "$debian/apt/lists" | grep Packages || true)" ] || APT_CONFIG=$debian/apt/conf apt-get update -qq || return 1
  for package in "$@"; do
    (cd "$debian" && APT_CONFIG=$debian/apt/conf apt-get download -qq "$package" && dpkg-deb -x "$package"_*.deb . && rm -f "$package"_*.deb) ||
      return 1
  done
}

make_venv() {
  [ -x .venv/bin/pip ] && return
  if has_ensurepip; then
    "$python" -m venv .venv
    return
  fi
  unpack_packages python3-pip-whl || { say "no ensurepip; as root: apt-get install python3-venv"; exit 1; }
  "$python" -m venv --without-pip .venv
  for wheel in "$debian"/usr/share/python-wheels/pip-*.whl; do
    .venv/bin/python "$wheel/pip" install -q "$wheel"
  done
}

# The extension's compiler: g++, or Zig's tools behind names of one word.
choose_compiler() {
  [ "${ALPHA_TOOLCHAIN:-}" != zig ] && have g++ && return
  .venv/bin/pip install -q "ziglang>=0.13"
  zig=$(.venv/bin/python -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
  for tool in c++ ar ranlib; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" >".venv/bin/zig-$tool"
    chmod +x ".venv/bin/zig-$tool"
  done
  CXX=$here/.venv/bin/zig-c++
  CMAKE_ARGS="-DCMAKE_AR='$here/.venv/bin/zig-ar' -DCMAKE_RANLIB='$here/.venv/bin/zig-ranlib' ${CMAKE_ARGS:-}"
  export CXX CMAKE_ARGS
}

find_headers() {
  has_headers && return
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  unpack_packages "libpython$version-dev" || { say "no Python.h; as root: apt-get install python3-dev"; exit 1; }
  CXXFLAGS="-isystem '$debian/usr/include' ${CXXFLAGS:-}"
  CMAKE_ARGS="-DPython_INCLUDE_DIR='$debian/usr/include/python$version' ${CMAKE_ARGS:-}"
  export CXXFLAGS CMAKE_ARGS
}

find_emulator() {
  has_emulator || unpack_packages qemu-user-static || say "left out: roles on $other (no qemu-$other; as root: apt-get install qemu-user-static)"
}

extras=demo,test
[ "${1:-run}" = run ] || extras=demo,test,lint
missing=$(missing_packages "${1:-run}")
[ -z "$missing" ] || [ "$(id -u)" != 0 ] || ! have apt-get || install_packages "$missing"
[ "${1:-run}" = run ] || have clang-tidy || { say "no clang-tidy; as root: apt-get install clang-tidy"; exit 1; }
make_venv
choose_compiler
find_headers
find_emulator
{ [ "${ALPHA_TOOLCHAIN:-gnu}" = gnu ] && has_gnu; } || extras=$extras,zig
say "pip install -e '.[$extras]' into .venv"
.venv/bin/pip install -q -e ".[$extras]"
