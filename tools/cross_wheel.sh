#!/bin/sh
# Makes a wheel of alpha-build itself for AArch64 on an x86-64 Debian machine: tools/cross_wheel.sh [FOLDER].
#
# Needs aarch64-linux-gnu-g++ and this Python's build requirements (scikit-build-core, nanobind).  That machine's Python is
# unpacked from Debian under build/aarch64, unless ALPHA_PYTHON_ROOT names a folder that holds one; no root is needed.
# Where qemu is here, the extension is started by that Python.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
soabi=cpython-$(echo "$version" | tr -d .)-aarch64-linux-gnu

unpack_python() {
  mkdir -p "$1/apt/lists/partial" "$1/apt/archives/partial"
  : >"$1/apt/status"
  cat >"$1/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
Dir::State "$1/apt";
Dir::State::lists "$1/apt/lists";
Dir::State::status "$1/apt/status";
Dir::Cache "$1/apt";
END
  APT_CONFIG=$1/apt/conf apt-get update -qq
  (cd "$1/apt" && APT_CONFIG=$1/apt/conf apt-get download -qq "libpython$version-dev" "libpython$version-stdlib" \
    "libpython$version-minimal" "python$version-minimal" libc6 libstdc++6 libgcc-s1 libexpat1 zlib1g)
  for package in "$1"/apt/*.deb; do dpkg-deb -x "$package" "$1"; done
  rm -rf "$1/apt"
}

root=${ALPHA_PYTHON_ROOT:-$PWD/build/aarch64}
[ -d "$root/usr/include/python$version" ] || unpack_python "$root"

# What scikit-build-core reads of a foreign Python: its extensions' ending and its platform.
SETUPTOOLS_EXT_SUFFIX=.$soabi.so _PYTHON_HOST_PLATFORM=linux-aarch64 STRIP=aarch64-linux-gnu-strip \
  CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE='$PWD/toolchains/python-aarch64.cmake' -DALPHA_PYTHON_ROOT='$root' ${CMAKE_ARGS:-}" \
  "$python" -m pip wheel -q . -w "$out" --no-deps --no-build-isolation

wheel=$(ls "$out"/alpha_build-*-linux_aarch64.whl)
echo "$wheel"
if command -v qemu-aarch64-static >/dev/null; then
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  "$python" -m zipfile -e "$wheel" "$unpacked"
  qemu-aarch64-static -L "$root" -E PYTHONHOME="$root/usr" "$root/usr/bin/python$version" -S -c "
import importlib.util, platform
spec = importlib.util.spec_from_file_location('_native', '$unpacked/alpha_build/_native.$soabi.so')
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print('started by Python', platform.python_version(), 'on', platform.machine())"
fi
