//! A bad network: UDP between two sockets of this machine, whose packets arrive late, in another order, or
//! not at all. It is what `bevy_replicon` calls a backend: it takes messages from there and brings them.

use std::io;
use std::net::{SocketAddr, UdpSocket};

/// One end.
pub struct Link {
    socket: UdpSocket,
    other: SocketAddr,
    random: u64,
    /// Bytes sent.
    pub sent: usize,
    /// Packets that wait, with the tick in which they arrive.
    late: Vec<(u32, Vec<u8>)>,
    /// Of a hundred packets.
    loss: u32,
    /// The longest delay, in ticks; the shortest is half of it.
    delay: u32,
}

/// Two ends. Pairs with other seeds lose other packets.
pub fn pair(loss: u32, delay: u32, seed: u64) -> io::Result<[Link; 2]> {
    let sockets = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
    let addresses = [sockets[0].local_addr()?, sockets[1].local_addr()?];
    let mut random = 2 * seed;
    let ends = sockets.into_iter().zip([addresses[1], addresses[0]]).map(|(socket, other)| {
        socket.set_nonblocking(true)?;
        random += 1;
        Ok(Link { socket, other, random, sent: 0, late: Vec::new(), loss, delay })
    });
    let mut ends = ends.collect::<io::Result<Vec<Link>>>()?.into_iter();
    Ok([ends.next(), ends.next()].map(|end| end.expect("there are two")))
}

impl Link {
    fn below(&mut self, n: u32) -> u32 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.random ^ (self.random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((x >> 33) % u64::from(n.max(1))) as u32
    }

    /// Sends a message on a channel.
    pub fn send(&mut self, channel: usize, message: &[u8]) {
        let mut packet = vec![channel as u8];
        packet.extend_from_slice(message);
        self.sent += packet.len();
        // What does not go out is lost, as other packets are.
        self.socket.send_to(&packet, self.other).ok();
    }

    /// The messages that arrive in this tick, with their channels.
    pub fn receive(&mut self, tick: u32) -> Vec<(usize, Vec<u8>)> {
        let mut packet = [0; 1500];
        while let Ok((length, from)) = self.socket.recv_from(&mut packet) {
            if from != self.other || length == 0 || self.below(100) < self.loss {
                continue;
            }
            let least = self.delay / 2;
            let arrives = tick + least + self.below(self.delay - least + 1);
            self.late.push((arrives, packet[..length].to_vec()));
        }
        let (now, later) = self.late.drain(..).partition(|(arrives, _)| *arrives <= tick);
        self.late = later;
        let now: Vec<(u32, Vec<u8>)> = now;
        now.into_iter().map(|(_, packet)| (usize::from(packet[0]), packet[1..].to_vec())).collect()
    }
}
