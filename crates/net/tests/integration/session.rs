//! Establishing sessions: identities, properties, and differences.

use std::path::Path;
use std::time::Duration;

use tacit_net::keys;
use tacit_net::session::{Cause, Config, Field, Party, Scalar, SessionFile, Transport};
use tacit_net::shape::Shape;
use tacit_net::{NetError, Session, StreamId};

use crate::ends::{Couple, Kind, fields, limited};

const REAL: [Kind; 3] = [Kind::Tcp, Kind::Unix, Kind::Tls];

#[tokio::test]
async fn both_ends_agree_on_who_and_what() {
    for kind in REAL {
        let couple = Couple::new(kind);
        let mut identities = Vec::new();
        for _ in 0..2 {
            let (a, b) = couple.meet().await;
            let (a, b) = (a.unwrap(), b.unwrap());
            assert_eq!((a.me(), b.me()), ("A", "B"));
            assert_eq!(a.peers().collect::<Vec<_>>(), ["B"]);
            assert_eq!(a.id(), b.id());
            assert_eq!(a.link_id("B").unwrap(), b.link_id("A").unwrap());
            identities.extend([a.id(), a.link_id("B").unwrap()]);
            let (closed_a, closed_b) = limited(async { tokio::join!(a.close(), b.close()) }).await;
            closed_a.unwrap();
            closed_b.unwrap();
        }
        identities.sort();
        identities.dedup();
        assert_eq!(identities.len(), 4, "no identity repeats");
    }
}

#[tokio::test]
async fn each_field_is_compared_and_named() {
    for kind in REAL {
        let couple = Couple::new(kind);
        for index in 0..fields().len() {
            let mut other = fields();
            other[index] = Field::text(other[index].name.clone(), "something else");
            let (a, b) = couple.meet_with(&couple.config, &couple.config, fields(), other.clone()).await;
            for (result, peer) in [(a, "B"), (b, "A")] {
                let error = result.unwrap_err();
                let NetError::Mismatch { peer: named, field, .. } = &error else { panic!("{error}") };
                assert_eq!((named.as_str(), field), (peer, &other[index].name));
                assert!(error.to_string().contains("something else"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn different_parties_are_a_mismatch() {
    let couple = Couple::new(Kind::Unix);
    let mut other = couple.config.clone();
    other.parties[0].key = Some(keys::generate().unwrap().1);
    let (a, b) = couple.meet_with(&couple.config, &other, fields(), fields()).await;
    for result in [a, b] {
        let error = result.unwrap_err();
        assert!(matches!(&error, NetError::Mismatch { field, .. } if field == "parties and keys"), "{error}");
    }
}

/// The configuration with another key for one party.
fn with_other_key(config: &Config, name: &str) -> Config {
    let mut config = config.clone();
    let party = config.parties.iter_mut().find(|party| party.name == name).unwrap();
    party.key = Some(keys::generate().unwrap().1);
    config
}

#[tokio::test]
async fn a_wrong_key_is_refused_at_either_side() {
    let mut couple = Couple::new(Kind::Tls);
    couple.config.timeout = Duration::from_secs(1);
    // A listens and B dials: each in turn expects a key that the other does not have. The one that expects it
    // waits for the right one until the time limit; to the other it has proved who it is, so its refusal ends
    // the wait.
    let a_wrong = with_other_key(&couple.config, "B");
    let (a, b) = couple.meet_with(&a_wrong, &couple.config, fields(), fields()).await;
    let (a, b) = (a.unwrap_err(), b.unwrap_err());
    let NetError::Absent { peer, refused, .. } = &a else { panic!("{a}") };
    assert_eq!((peer.as_str(), refused.count(Cause::WrongKey)), ("B", 1));
    assert!(a.to_string().contains(&couple.keys[1].public().to_string()), "{a}");
    assert!(matches!(&b, NetError::Authentication { peer, .. } if peer == "A"), "{b}");

    let b_wrong = with_other_key(&couple.config, "A");
    let (a, b) = couple.meet_with(&couple.config, &b_wrong, fields(), fields()).await;
    let (a, b) = (a.unwrap_err(), b.unwrap_err());
    assert!(matches!(&b, NetError::Unreachable { peer, .. } if peer == "A"), "{b}");
    assert!(b.to_string().contains(&couple.keys[0].public().to_string()), "{b}");
    let NetError::Absent { peer, refused, .. } = &a else { panic!("{a}") };
    assert!(peer == "B" && refused.count(Cause::KeyRefused) > 0, "{a}");
}

#[tokio::test]
async fn one_side_without_tls_fails() {
    let mut couple = Couple::new(Kind::Tls);
    couple.config.timeout = Duration::from_secs(1);
    let plain = Config { transport: Transport::Plain, ..couple.config.clone() };
    for (a, b) in [(&couple.config, &plain), (&plain, &couple.config)] {
        let (a, b) = couple.meet_with(a, b, fields(), fields()).await;
        assert!(a.is_err() && b.is_err());
    }
}

#[tokio::test]
async fn an_absent_peer_is_named() {
    for kind in REAL {
        let mut couple = Couple::new(kind);
        couple.config.timeout = Duration::from_millis(300);
        let dialing = Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields());
        let error = limited(dialing).await.unwrap_err();
        assert!(matches!(&error, NetError::Unreachable { peer, .. } if peer == "A"), "{error}");
        let listening = Session::establish(&couple.config, "A", Some(&couple.keys[0]), fields());
        let error = limited(listening).await.unwrap_err();
        let NetError::Absent { peer, refused, .. } = &error else { panic!("{error}") };
        assert!(peer == "B" && refused.is_empty(), "{error}");
    }
}

#[tokio::test]
async fn the_listener_may_come_later() {
    let couple = Couple::new(Kind::Tls);
    let dialing = Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields());
    let listening = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Session::establish(&couple.config, "A", Some(&couple.keys[0]), fields()).await
    };
    let (b, a) = limited(async { tokio::join!(dialing, listening) }).await;
    assert_eq!(a.unwrap().id(), b.unwrap().id());
}

#[tokio::test]
async fn strangers_do_not_keep_a_session_from_coming_about() {
    for kind in [Kind::Tcp, Kind::Tls] {
        let couple = Couple::new(kind);
        let address = couple.config.parties[1].address.clone();
        let listening = Session::establish(&couple.config, "A", Some(&couple.keys[0]), fields());
        let others = async {
            let silent = loop {
                match address.connect().await {
                    Ok(stream) => break stream,
                    Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            };
            let mut noisy = address.connect().await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut noisy, &[0x55; 4000]).await.unwrap();
            drop(address.connect().await.unwrap());
            let session = Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields()).await;
            drop((silent, noisy));
            session
        };
        let (a, b) = limited(async { tokio::join!(listening, others) }).await;
        assert_eq!(a.unwrap().id(), b.unwrap().id());
    }
}

#[tokio::test]
async fn garbage_instead_of_a_peer_is_an_error_within_the_limit() {
    for kind in [Kind::Tcp, Kind::Tls] {
        let mut couple = Couple::new(kind);
        couple.config.timeout = Duration::from_millis(500);
        let listener = couple.config.parties[1].address.listen().await.unwrap();
        let garbage = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut stream, &[0x55; 4000]).await.unwrap();
            stream
        };
        let dialing = Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields());
        let (result, _stream) = limited(async { tokio::join!(dialing, garbage) }).await;
        let error = result.unwrap_err();
        assert!(matches!(&error, NetError::Unreachable { peer, .. } if peer == "A"), "{error}");
        assert!(error.to_string().contains("that did not speak this protocol"), "{error}");
    }
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let couple = Couple::new(Kind::Tcp);
    let _taken = couple.config.parties[1].address.listen().await.unwrap();
    let result = Session::establish(&couple.config, "A", None, fields()).await;
    assert!(matches!(result.unwrap_err(), NetError::Listen { .. }));
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_once() {
    let couple = Couple::new(Kind::Tls);
    let refused = async |config: &Config, me: &str, key| {
        let error = Session::establish(config, me, key, fields()).await.unwrap_err();
        assert!(matches!(error, NetError::Session { .. }), "{error}");
        error.to_string()
    };
    let key = Some(&couple.keys[0]);
    assert!(refused(&couple.config, "C", key).await.contains("no party C"));
    assert!(refused(&couple.config, "A", None).await.contains("needs its secret key"));
    assert!(refused(&couple.config, "A", Some(&couple.keys[1])).await.contains("not the one"));
    let mut same = couple.config.clone();
    same.parties[0].key = same.parties[1].key;
    assert!(refused(&same, "A", key).await.contains("same key"));
    let mut twice = couple.config.clone();
    twice.parties[0].name = "A".to_owned();
    assert!(refused(&twice, "A", key).await.contains("two parties"));
    let mut keyless = couple.config.clone();
    keyless.parties[0].key = None;
    assert!(refused(&keyless, "A", key).await.contains("no key"));
}

#[tokio::test]
async fn three_parties_meet() {
    for kind in [Kind::Unix, Kind::Tls] {
        let (first, second) = (Couple::new(kind), Couple::new(kind));
        let mut config = first.config.clone();
        config.parties.push(Party { name: "C".to_owned(), ..second.config.parties[0].clone() });
        let establish = |name: &'static str, key| Session::establish(&config, name, Some(key), fields());
        let (a, b, c) = limited(async {
            tokio::join!(
                establish("A", &first.keys[0]),
                establish("B", &first.keys[1]),
                establish("C", &second.keys[1])
            )
        })
        .await;
        let (a, b, c) = (a.unwrap(), b.unwrap(), c.unwrap());
        assert!(a.id() == b.id() && b.id() == c.id());
        assert_eq!(b.peers().collect::<Vec<_>>(), ["A", "C"]);
        assert_eq!(a.link_id("C"), c.link_id("A"));
        assert_ne!(a.link_id("C"), a.link_id("B"));
        let mut to_c = a.connection("C").unwrap().open(StreamId(1)).unwrap();
        let mut to_a = c.connection("A").unwrap().open(StreamId(1)).unwrap();
        to_c.send(b"hi").await.unwrap();
        to_c.flush().await.unwrap();
        assert_eq!(limited(to_a.receive(2)).await.unwrap(), b"hi");
    }
}

fn read(text: &str) -> Result<SessionFile, String> {
    SessionFile::parse(text, Path::new("dir/s.toml")).map_err(|error| error.to_string())
}

fn file(extra: &str) -> String {
    let key = || keys::generate().unwrap().1;
    format!(
        "{extra}\n[party.A]\naddress = \"127.0.0.1:7801\"\nkey = \"{}\"\n[party.B]\naddress = \"unix:b.sock\"\nkey = \"{}\"\n",
        key(),
        key()
    )
}

#[test]
fn a_session_file_is_read() {
    let text = file(
        "[limits]\ntimeout_s = 5\n[security]\nstatistical_bits = 64\n[link]\nnet = \"wan\"\nplanned = \"40mbit,15ms\"\n[role.X]\nparty = \"A\"",
    );
    let session = read(&text).unwrap();
    assert_eq!(session.limits.timeout, Duration::from_secs(5));
    let entries: Vec<_> = session.options.iter().map(|entry| (&entry.name[..], &entry.value)).collect();
    let planned = Scalar::Text("40mbit,15ms".to_owned());
    assert_eq!(entries, [("security.statistical_bits", &Scalar::Integer(64)), ("link.planned", &planned)]);
    let fault = session.fault(&session.options[0], std::fmt::Error).to_string();
    assert_eq!(fault, format!("dir/s.toml:4: {}", std::fmt::Error));
    assert_eq!(session.party_of_role("X").unwrap(), "A");
    assert_eq!(session.party_of_role("B").unwrap(), "B");
    assert!(session.party_of_role("Y").unwrap_err().to_string().contains("role.Y"));
    let config = session.config();
    assert_eq!(config.transport, Transport::Tls);
    assert_eq!(config.shape, Some(Shape::WAN));
    assert_eq!(config.parties[1].address.to_string(), "unix:dir/b.sock");
    let plain =
        read("[link]\ntransport = \"tcp\"\n[party.A]\naddress = \"a:1\"\n[party.B]\naddress = \"b:2\"\n");
    let plain = plain.unwrap();
    assert_eq!((plain.config().transport, plain.options.len()), (Transport::Plain, 0));
    let lan = read(&file("[link]\nplanned = \"lan\"")).unwrap();
    assert_eq!((lan.options.len(), lan.config().shape), (1, None));
}

#[test]
fn a_wrong_session_file_is_explained_with_its_line() {
    let cases = [
        (file("[limits]\ntimeout = 5"), "dir/s.toml:2:", "timeout"),
        (file("[limits]\ntimeout_s = \"x\""), "dir/s.toml:2:", "expected"),
        (file("[limits]\ntimeout_s = 0"), "dir/s.toml:2:", "limits.timeout_s"),
        (
            file("[security]\nstatistical_bits = 1.5"),
            "dir/s.toml:2:",
            "security.statistical_bits: expected a text",
        ),
        (file("[run]\nmode = [\"auto\"]"), "dir/s.toml:2:", "run.mode: expected a text or a whole number"),
        (file("[link]\nnet = \"slow\""), "dir/s.toml:2:", "link.net"),
        (file("[link]\nnet = \"lan\"\nplanned = 0.5"), "dir/s.toml:3:", "link.planned: expected a text"),
        (file("[link]\nnet = 5"), "dir/s.toml:2:", "link.net: expected a text, found integer"),
        (file("[link]\n\ntransport = \"udp\""), "dir/s.toml:3:", "link.transport"),
        (file("[role.X]\nparty = \"C\""), "dir/s.toml:2:", "role.X.party"),
        (file("").replace("tacit-key", "no-key"), "dir/s.toml:4:", "party.A.key"),
        (file("").replace("127.0.0.1:7801", "localhost"), "dir/s.toml:3:", "party.A.address"),
        (file("").replace("[party.B]", "[party.B]\ncolour = 1"), "dir/s.toml:6:", "colour"),
        (
            "[party.A]\naddress = \"a:1\"\n[party.B]\naddress = \"b:1\"".to_owned(),
            "dir/s.toml:1:",
            "party.A.key",
        ),
        ("".to_owned(), "dir/s.toml", "party"),
        ("[party]".to_owned(), "dir/s.toml", "0 parties"),
        ("[party".to_owned(), "dir/s.toml:1:", ""),
    ];
    for (text, place, words) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(place) && error.contains(words), "{error}\n{text}");
    }
    let error = SessionFile::load(Path::new("nowhere/s.toml")).unwrap_err().to_string();
    assert!(error.contains("nowhere/s.toml"), "{error}");
}
