//! A network namespace for one run, so that operators with fixed ports can run in parallel.
//!
//! A socket stays in the namespace in which it was made. Therefore a child process of rustop, which `unshare` starts in a new
//! namespace, makes the socket of the proxy and sends it to rustop. The operator is started in the namespace of that
//! process. This needs user namespaces, but no privileges.

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

/// The time that the process has to send its socket.
const STARTED_WITHIN: Duration = Duration::from_secs(10);

/// A network namespace. It ends when this is dropped.
#[derive(Debug)]
pub struct NetworkNamespace {
    /// The process that was started in the namespace.
    holder: Child,
    /// The process ends when this is closed, also if rustop is killed.
    _line: UnixStream,
}

impl NetworkNamespace {
    /// Creates a namespace with a loopback interface, and returns it with a socket that listens there. `program` is rustop's.
    ///
    /// # Errors
    /// Returns an error if the machine does not allow it, or is not a Linux machine with util-linux.
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

    /// Returns a command that runs a program in the namespace.
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

/// Makes a listening socket in the namespace of this process, sends it over stdin, and waits until stdin is closed. The
/// implementation of the internal command `rustop cluster network`.
///
/// # Errors
/// Returns an error if the loopback interface cannot be started, or if stdin is not a socket of rustop's.
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
    let socket = sockets.ok_or_else(|| io::Error::other("no network namespace was created"))?;
    Ok(TcpListener::from(socket))
}

/// Starts the loopback interface, the first one of each namespace, by a netlink message.
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
    // The address family and the type of the interface: any.
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    // The protocol 0 is that of routes and interfaces.
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
