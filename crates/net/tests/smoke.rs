//! First words over a memory connection.
use tacit_net::*;

#[tokio::test]
async fn words() {
    let (a, b) = memory::pair(Options::default());
    let mut x = a.open(StreamId(1)).unwrap();
    let mut y = b.open(StreamId(1)).unwrap();
    let big: Vec<u8> = (0..9_000_000u32).map(|i| (i * 7 >> 3) as u8).collect();
    let one = async {
        x.send(&big).await.unwrap();
        x.reserve(10).await.unwrap().copy_from_slice(b"0123456789");
        assert_eq!(x.receive(3).await.unwrap(), b"yes");
        assert_eq!(x.rounds(), 1);
        x.finish().await.unwrap();
        a.close().await.unwrap();
    };
    let two = async {
        let mut got = vec![0; big.len()];
        y.receive_into(&mut got).await.unwrap();
        assert!(got == big);
        assert_eq!(y.receive(10).await.unwrap(), b"0123456789");
        y.send(b"yes").await.unwrap();
        y.finish().await.unwrap();
        b.close().await.unwrap();
    };
    tokio::join!(one, two);
    println!("{:?} {:?}", a.meter().total(), b.meter().total());
}
