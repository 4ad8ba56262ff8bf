//! A game server in a few lines, which speaks the bytes of a real one and trusts nobody.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use winset_gdl::Simulation;
use winset_player::{Config, Player, Server, Stopper, canonical};

/// A player at a port of its own, until it is dropped.
pub struct Seat {
    pub address: SocketAddr,
    stopper: Stopper,
}

impl Seat {
    pub fn new(config: Config) -> Self {
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), Player::new(config)).unwrap();
        let seat = Seat { address: server.address().unwrap(), stopper: server.stopper().unwrap() };
        std::thread::spawn(move || server.run());
        seat
    }

    /// Sends a message as a real server does, and gives back the answer.
    pub fn ask(&self, message: &str) -> String {
        let (head, body) = self.raw(&request(message));
        assert!(head.starts_with("HTTP/1.0 200 OK\r\n"), "{head} {body}");
        assert!(!head.to_lowercase().contains("chunked"), "{head}");
        assert!(head.contains(&format!("Content-length: {}\r\n", body.len())), "{head} {body}");
        assert!(head.contains("Access-Control-Allow-Origin: *"), "{head}");
        body
    }

    /// Sends bytes, and gives back head and body of the answer.
    pub fn raw(&self, bytes: &[u8]) -> (String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (format!("{head}\r\n"), body.to_owned())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// The bytes of a real server's message.
pub fn request(message: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\nReceiver: P1\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.chars().count()
    )
    .into_bytes()
}

/// How a match went.
#[derive(Debug, Default)]
pub struct Protocol {
    /// What every role got; none if it did not come to its end.
    pub goals: Option<Vec<u8>>,
    pub plies: usize,
    /// Answers of ours, and those among them that were not legal.
    pub answers: usize,
    pub illegal: Vec<String>,
    /// The longest that an answer to PLAY took.
    pub slowest: Duration,
}

/// A match: seats for some roles, the others play at random.
pub struct Referee<'a> {
    pub rules: &'a str,
    pub simulation: &'a Simulation,
    pub id: &'a str,
    pub clocks: (u64, u64),
    /// Plies after which the match is stopped.
    pub most: usize,
}

impl Referee<'_> {
    pub fn play(&self, seats: &[Option<&Seat>]) -> Protocol {
        let (simulation, id) = (self.simulation, self.id);
        let mut protocol = Protocol::default();
        let mut seed = 0x1234_5678_9abc_def1u64;
        std::thread::scope(|scope| {
            for (role, seat) in seats.iter().enumerate() {
                let Some(seat) = seat else { continue };
                let name = &simulation.roles()[role];
                let (start, play) = self.clocks;
                let message = format!("( START {id} {name} ({}) {start} {play})", self.rules);
                scope.spawn(move || seat.ask(&message));
            }
        });
        let mut lanes = simulation.lanes();
        let mut last = "NIL".to_owned();
        lanes.load(&[&simulation.start()]);
        while lanes.ended() == 0 && protocol.plies < self.most {
            let message = format!("( PLAY {id} {last} )");
            let asked: Vec<Option<(String, Duration)>> = std::thread::scope(|scope| {
                let handles: Vec<_> = seats
                    .iter()
                    .map(|seat| {
                        seat.map(|seat| {
                            let message = &message;
                            scope.spawn(move || {
                                let clock = Instant::now();
                                (seat.ask(message), clock.elapsed())
                            })
                        })
                    })
                    .collect();
                handles.into_iter().map(|handle| handle.map(|handle| handle.join().unwrap())).collect()
            });
            let mut joint = vec![];
            for role in 0..simulation.roles().len() {
                let legal = lanes.choices(0, role);
                assert!(!legal.is_empty(), "the rules leave {role} nothing to do");
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let mut action = legal[(seed % legal.len() as u64) as usize];
                if let Some(Some((answer, took))) = asked.get(role) {
                    protocol.answers += 1;
                    protocol.slowest = protocol.slowest.max(*took);
                    match simulation.action(role, &canonical(answer)).filter(|action| legal.contains(action))
                    {
                        Some(legal) => action = legal,
                        None => protocol.illegal.push(answer.clone()),
                    }
                }
                joint.push(action);
            }
            // As a real server writes it: blanks inside of the parentheses.
            let texts: Vec<String> = joint
                .iter()
                .map(|action| simulation.text(*action).replace('(', "( ").replace(')', " )"))
                .collect();
            last = format!("({} )", texts.join(" "));
            lanes.advance(&[joint]);
            protocol.plies += 1;
        }
        protocol.goals = (lanes.ended() != 0).then(|| lanes.goals(0));
        for seat in seats.iter().flatten() {
            let ended = protocol.goals.is_some();
            let (message, answer) = match ended {
                true => (format!("( STOP {id} {last} )"), "done"),
                false => (format!("( ABORT {id} )"), "aborted"),
            };
            assert_eq!(seat.ask(&message), answer);
        }
        protocol
    }
}
