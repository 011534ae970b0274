#!/bin/sh
# Installs rustop from a release, for this user alone:
#
#   curl -fsSL https://.../install.sh | sh
#   sh install.sh [--version 0.3.0] [--to DIR]
#
# The program goes to DIR, ~/.local/bin unless told otherwise. Nothing is written there before the archive's
# checksum is right, and its attestation where `gh` is logged in. The release fills in where it is and which version; $RUSTOP_RELEASES stands for the former.
set -eu

RELEASES=${RUSTOP_RELEASES:-@RELEASES@}
VERSION=@VERSION@

main() {
    to=${HOME:-}/.local/bin
    while [ $# -gt 0 ]; do
        case $1 in
            --version) [ $# -gt 1 ] || fail "--version wants a version"; VERSION=${2#v}; shift ;;
            --to) [ $# -gt 1 ] || fail "--to wants a directory"; to=$2; shift ;;
            *) fail "what is $1? There are --version VERSION and --to DIR" ;;
        esac
        shift
    done
    case $RELEASES in @*) fail "this copy belongs to no release: set RUSTOP_RELEASES to the address of one's releases" ;; esac
    case $VERSION in @*) fail "this copy belongs to no release: say --version VERSION" ;; esac
    case $to in /.local/bin) fail "HOME is not set: say --to DIR" ;; esac

    name=rustop-$VERSION-$(target).tar.gz
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    download "$name"
    download "rustop-$VERSION-sha256sums.txt"
    check "$name" "rustop-$VERSION-sha256sums.txt"
    attest "$name"
    tar -xzf "$work/$name" -C "$work" || fail "$name is no archive"
    put "$work/${name%.tar.gz}/rustop" "$to"

    echo "rustop $VERSION is in $to"
    case :${PATH:-}: in
        *:"$to":*) ;;
        *) echo "It is not on your PATH: export PATH=\"$to:\$PATH\"" ;;
    esac
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# What releases are called for this machine. On Linux one program runs with every C library.
target() {
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no release for $(uname -m); in a checkout of rustop: cargo install --path . --locked" ;;
    esac
    case $(uname -s) in
        Linux) echo "$machine-unknown-linux-musl" ;;
        Darwin) echo "$machine-apple-darwin" ;;
        *) fail "there is no release for $(uname -s); on Windows, rustop runs in WSL" ;;
    esac
}

download() {
    from=$RELEASES/download/v$VERSION/$1
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --retry 3 --output "$work/$1" "$from" || fail "$from cannot be had"
    elif command -v wget >/dev/null; then
        wget -q -O "$work/$1" "$from" || fail "$from cannot be had"
    else
        fail "neither curl nor wget is here"
    fi
}

check() {
    wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $1\$/\1/p" "$work/$2")
    [ -n "$wanted" ] || fail "$2 has no checksum of $1"
    if command -v sha256sum >/dev/null; then
        found=$(sha256sum "$work/$1")
    elif command -v shasum >/dev/null; then
        found=$(shasum -a 256 "$work/$1")
    else
        fail "neither sha256sum nor shasum is here"
    fi
    [ "${found%% *}" = "$wanted" ] || fail "$1 is broken: its checksum is ${found%% *}, not $wanted"
}

# Verifies that the release workflow of the repository has built the archive, where the GitHub CLI can. The checksums are
# from the same place as the archive, and whoever can replace one can replace the other.
attest() {
    repository=${RELEASES#https://github.com/}
    repository=${repository%/releases}
    case $RELEASES in
        https://github.com/*/releases) ;;
        *) unverified "$RELEASES is not on GitHub"; return ;;
    esac
    command -v gh >/dev/null || { unverified "gh is not here"; return; }
    gh auth token >/dev/null 2>&1 || { unverified "gh is not logged in"; return; }
    gh attestation verify --help >/dev/null 2>&1 || { unverified "this gh is too old"; return; }
    gh attestation verify "$work/$1" --repo "$repository" >"$work/attestation" 2>&1 || {
        cat "$work/attestation" >&2
        fail "the attestation of $1 is wrong or missing: nothing says that $repository has built it"
    }
}

unverified() {
    echo "install.sh: the checksum is right; the attestation was not verified, since $1" >&2
}

# Puts a program into a directory, in place of an older one that may be running.
put() {
    # A link would install a file of this machine.
    if [ -L "${1%/*}" ] || [ -L "$1" ] || [ ! -f "$1" ]; then
        fail "there is no rustop in the archive"
    fi
    mkdir -p "$2" 2>/dev/null || fail "$2 cannot be made: say --to DIR"
    cp "$1" "$2/.rustop-$$" 2>/dev/null || fail "$2 cannot be written to: say --to DIR"
    chmod 755 "$2/.rustop-$$"
    mv -f "$2/.rustop-$$" "$2/rustop"
}

# All of it is read before anything is done.
main "$@"
