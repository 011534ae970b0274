//! A network namespace for one run of `rustop torture`, so that operators with fixed ports can run
//! in parallel.
//!
//! A socket stays in the namespace in which it was created, and the proxy runs in rustop, outside
//! of the new namespace. So `unshare` starts a second rustop process, the holder, in a new
//! namespace. The holder creates the socket on which the proxy listens, and sends it to rustop.
//! `nsenter` starts the operator in the namespace of the holder. This needs Linux with user
//! namespaces, but no privileges.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// The time within which the holder must send its socket.
const STARTED_WITHIN: Duration = Duration::from_secs(10);

/// A network namespace. Dropping this kills the holder. Linux removes the namespace when its last
/// process has ended and its last socket is closed.
#[derive(Debug)]
pub struct NetworkNamespace {
    /// The process that keeps the namespace alive.
    holder: Child,
    /// rustop's end of the holder's stdin. The holder exits when it is closed, so it does not
    /// outlive a killed rustop.
    _line: UnixStream,
}

impl NetworkNamespace {
    /// Creates a namespace with a loopback interface. Returns it with a non-blocking socket that
    /// listens at a free port of 127.0.0.1 in the namespace. `program` is the path of rustop
    /// itself, which is started as the holder.
    ///
    /// # Errors
    /// Returns an error if `unshare` is missing, if the machine does not allow user namespaces, or
    /// if the holder does not send a socket within 10 s.
    pub fn open(program: &Path) -> io::Result<(Self, TcpListener)> {
        let (here, there) = UnixStream::pair()?;
        let holder = Command::new("unshare")
            .args(["--user", "--map-root-user", "--net", "--"])
            .arg(program)
            .args(["cluster", "network"])
            .stdin(Stdio::from(OwnedFd::from(there)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        here.set_read_timeout(Some(STARTED_WITHIN))?;
        let namespace = Self {
            holder,
            _line: here.try_clone()?,
        };
        let listener = receive(&here)?;
        listener.set_nonblocking(true)?;
        Ok((namespace, listener))
    }

    /// Returns a command that runs `program`, any executable, in the namespace. The program sees
    /// itself as root, but has only the user's privileges outside of the namespace.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--preserve-credentials", "--user", "--net", "--target"])
            .arg(self.holder.id().to_string())
            .arg("--")
            .arg(program);
        command
    }
}

impl Drop for NetworkNamespace {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Runs the holder: creates a listening socket in the namespace of this process, sends it over
/// stdin, and waits until stdin is closed. Implements the internal command `rustop cluster
/// network`.
///
/// # Errors
/// Returns an error if the loopback interface cannot be started, or if stdin is not a socket.
pub fn hold() -> io::Result<()> {
    start_loopback()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let sockets = [std::os::fd::AsFd::as_fd(&listener)];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&sockets));
    rustix::net::sendmsg(
        io::stdin(),
        &[IoSlice::new(&[0])],
        &mut control,
        SendFlags::empty(),
    )?;
    drop(listener);
    let _ = io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}

/// Receives the socket that the holder sends.
fn receive(line: &UnixStream) -> io::Result<TcpListener> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    rustix::net::recvmsg(
        line,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let sockets = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    let socket = sockets.ok_or_else(|| {
        io::Error::other("the process in the new network namespace sent no socket")
    })?;
    Ok(TcpListener::from(socket))
}

/// Starts the loopback interface, which has the index 1 in every network namespace, with a netlink
/// message.
/// <https://man7.org/linux/man-pages/man7/rtnetlink.7.html>
#[cfg(target_os = "linux")]
fn start_loopback() -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

    const RTM_NEWLINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
    const UP: u32 = 1;
    let mut message = Vec::new();
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    // The sequence number and the sender.
    message.extend([0; 8]);
    // The address family and the type of the interface: any. Then its index, its new flags, and the
    // mask of the flags to change.
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    // No protocol means 0: NETLINK_ROUTE.
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::io::write(&socket, &message)?;
    let mut answer = [0; 64];
    let length = rustix::io::read(&socket, &mut answer)?;
    // An acknowledgement is an error message with the code 0, behind a header of 16 bytes.
    match answer.get(16..20).filter(|_| length >= 20) {
        Some([0, 0, 0, 0]) => Ok(()),
        _ => Err(io::Error::other("cannot start the loopback interface")),
    }
}

#[cfg(not(target_os = "linux"))]
fn start_loopback() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
