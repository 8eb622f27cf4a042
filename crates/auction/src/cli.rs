//! The command line of `tacit-auction`; `tacit auction` passes its arguments to it.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tacit_net::keys::{self, SecretKey};

use crate::client::{Receipt, Service};
use crate::config::{Config, Role};
use crate::proof::{self, SignedLog};
use crate::server::{Environment, Running};
use crate::{AuctionError, demo, page};

const HELP: &str = "\
Auctions with sealed maximum bids, held by two servers that do not collude.

  serve --role a|b --config FILE       run a server
  page --a URL --b URL [--port N] [--write FILE]
                                       serve the bidders' page from its own origin, or write it to a file
  auctions --service FILE              list auctions
  bid AUCTION AMOUNT --service FILE --receipt FILE
                                       bid; - reads AMOUNT from stdin
  bid --again RECEIPT --service FILE   bid again if you do not know whether the bid was accepted
  raise AUCTION PRICE --service FILE --key FILE
                                       raise a live price openly, signed with your key; a new file gets a new key
  watch AUCTION --service FILE         print the state whenever it changes, until the end
  result AUCTION --service FILE [--receipt FILE]
                                       print the winner, if both servers agree
  log --service FILE                   print the log, signed by both servers
  verify RECEIPT LOG [--service FILE]  check each decision about your bid; needs no server
  demo [--keep-open] [--port N]        run both servers and ten bidders on this machine

Exit codes: 0 done, 2 wrong usage, 4 bad input, 5 a server cannot be reached, 6 refused, contradictory or wrong.
";

/// Runs a command and returns its exit code. An error is one message on stderr.
pub fn execute(arguments: Vec<String>) -> u8 {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("tacit-auction: {error}");
            return 6;
        }
    };
    let outcome = runtime.block_on(command(arguments));
    runtime.shutdown_timeout(Duration::from_secs(5));
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("tacit-auction: {error}");
            error.exit_code()
        }
    }
}

async fn command(arguments: Vec<String>) -> Result<(), AuctionError> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(AuctionError::Usage(format!("a command is expected\n{HELP}")));
    };
    let parsed = |options: &[&str], flags: &[&str]| Arguments::parse(rest, options, flags);
    match &name[..] {
        "serve" => serve(parsed(&["role", "config"], &[])?).await,
        "page" => page::command(parsed(&["a", "b", "port", "write"], &[])?).await,
        "auctions" => auctions(parsed(&["service"], &[])?).await,
        "bid" => bid(parsed(&["service", "receipt", "again"], &[])?).await,
        "raise" => raise(parsed(&["service", "key"], &[])?).await,
        "watch" => watch(parsed(&["service"], &[])?).await,
        "result" => result(parsed(&["service", "receipt"], &[])?).await,
        "log" => log(parsed(&["service"], &[])?).await,
        "verify" => verify(parsed(&["service"], &[])?),
        "demo" => demo::command(parsed(&["port"], &["keep-open"])?).await,
        "--help" | "-h" | "help" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(AuctionError::Usage(format!("there is no command {other}; see --help"))),
    }
}

/// The arguments of a command: options with values, flags, and the rest in order.
pub(crate) struct Arguments {
    options: HashMap<String, String>,
    flags: Vec<String>,
    rest: Vec<String>,
}

impl Arguments {
    fn parse(given: &[String], options: &[&str], flags: &[&str]) -> Result<Arguments, AuctionError> {
        let mut parsed = Arguments { options: HashMap::new(), flags: Vec::new(), rest: Vec::new() };
        let mut given = given.iter();
        while let Some(argument) = given.next() {
            let Some(option) = argument.strip_prefix("--") else {
                parsed.rest.push(argument.clone());
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            if flags.contains(&name) && value.is_none() {
                parsed.flags.push(name.to_owned());
            } else if options.contains(&name) {
                let missing = || AuctionError::Usage(format!("--{name} needs a value"));
                let value = value.or_else(|| given.next().cloned()).ok_or_else(missing)?;
                parsed.options.insert(name.to_owned(), value);
            } else {
                return Err(AuctionError::Usage(format!("there is no option {argument} here; see --help")));
            }
        }
        Ok(parsed)
    }

    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    pub fn needed(&self, name: &str) -> Result<&str, AuctionError> {
        self.option(name).ok_or_else(|| AuctionError::Usage(format!("--{name} is missing; see --help")))
    }

    pub fn flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    /// The arguments that are not options. Their number must be `N`; `what` describes them in the error.
    pub fn rest<const N: usize>(self, what: &str) -> Result<[String; N], AuctionError> {
        let expected = || AuctionError::Usage(format!("{what}; see --help"));
        self.rest.try_into().map_err(|_| expected())
    }

    pub fn port(&self) -> Result<Option<u16>, AuctionError> {
        let wrong = |_| AuctionError::Usage("--port: a number up to 65535 is expected".into());
        self.option("port").map(|port| port.parse().map_err(wrong)).transpose()
    }
}

async fn serve(arguments: Arguments) -> Result<(), AuctionError> {
    let role = match arguments.needed("role")? {
        "a" | "A" => Role::A,
        "b" | "B" => Role::B,
        other => return Err(AuctionError::Usage(format!("--role: a or b is expected, not {other}"))),
    };
    let config = Config::load(Path::new(arguments.needed("config")?))?;
    let mut running = Running::start(role, config, Environment::default()).await?;
    eprintln!(
        "tacit-auction: server {} is listening for bidders at https://{}",
        role.name(),
        running.address
    );
    let ended = tokio::select! {
        failed = running.failed() => failed,
        () = interrupted() => Ok(()),
    };
    running.stop().await;
    ended
}

/// Waits for Ctrl-C, or for the signal with which service managers stop programs.
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = async |kind| match signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
    }
}

fn service(arguments: &Arguments) -> Result<Service, AuctionError> {
    Service::load(Path::new(arguments.needed("service")?))
}

async fn auctions(arguments: Arguments) -> Result<(), AuctionError> {
    print(&service(&arguments)?.auctions().await?)
}

async fn bid(arguments: Arguments) -> Result<(), AuctionError> {
    let service = service(&arguments)?;
    let again = arguments.option("again").map(PathBuf::from);
    let (mut receipt, file) = match again {
        Some(file) => (Receipt::load(&file)?, file),
        None => {
            let file = PathBuf::from(arguments.needed("receipt")?);
            let [auction, amount] = arguments.rest("bid: an auction and an amount are expected")?;
            let receipt = service.seal(&auction, amount_of(&amount)?).await?;
            // Saved before anything is sent, so that the bid can be given again whatever happens.
            receipt.save(&file)?;
            (receipt, file)
        }
    };
    let said = service.submit(&receipt).await?;
    print(&said)?;
    match said["status"] == "accepted" {
        true => receipt.keep(&said, &file),
        false => Err(AuctionError::Answer {
            server: format!("bid {}", receipt.name),
            reason: format!("it was refused: {}", said["reason"]),
        }),
    }
}

async fn raise(arguments: Arguments) -> Result<(), AuctionError> {
    let service = service(&arguments)?;
    let file = PathBuf::from(arguments.needed("key")?);
    let [auction, price] = arguments.rest("raise: an auction and a price are expected")?;
    let price =
        price.parse().map_err(|_| AuctionError::Usage("the price: a whole number is expected".into()))?;
    let key = match file.exists() {
        true => SecretKey::load(&file)?,
        false => {
            let (key, _) = keys::generate()?;
            key.save(&file)?;
            key
        }
    };
    let raise = service.sign_raise(&auction, price, &key).await?;
    let said = service.raise(&auction, &raise).await?;
    print(&said)?;
    match said["status"] == "accepted" {
        true => Ok(()),
        false => Err(AuctionError::Answer {
            server: format!("the raise to {price}"),
            reason: format!("it was refused: {}", said["reason"]),
        }),
    }
}

fn amount_of(text: &str) -> Result<u64, AuctionError> {
    let mut typed = zeroize::Zeroizing::new(String::new());
    let text = match text {
        "-" => {
            let read = std::io::stdin().take(100).read_to_string(&mut typed);
            read.map_err(|source| AuctionError::File { file: "stdin".into(), source })?;
            typed.trim()
        }
        given => given,
    };
    text.parse().map_err(|_| AuctionError::Usage("the amount: a whole number is expected".into()))
}

async fn watch(arguments: Arguments) -> Result<(), AuctionError> {
    let service = service(&arguments)?;
    let [auction] = arguments.rest("watch: an auction is expected")?;
    let mut shown = Value::Null;
    loop {
        let mut state = service.auction(&auction).await?;
        if let Some(fields) = state.as_object_mut() {
            fields.remove("time");
            fields.remove("prices");
        }
        if state != shown {
            print(&state)?;
            shown = state;
        }
        if shown["phase"] == "ended" {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn result(arguments: Arguments) -> Result<(), AuctionError> {
    let service = service(&arguments)?;
    let receipt = arguments.option("receipt").map(|file| Receipt::load(Path::new(file))).transpose()?;
    let [auction] = arguments.rest("result: an auction is expected")?;
    let mut state = service.result(&auction).await?;
    if let Some(receipt) = receipt {
        state["own"] = service.bid(&auction, &receipt.name).await?;
    }
    print(&state)
}

async fn log(arguments: Arguments) -> Result<(), AuctionError> {
    let service = service(&arguments)?;
    let [] = arguments.rest("log: no arguments are expected")?;
    print(&json(&service.log().await?))
}

/// Needs no server, so that a third party can use it.
fn verify(arguments: Arguments) -> Result<(), AuctionError> {
    let given = arguments.option("service").map(|file| Service::load(Path::new(file))).transpose()?;
    let published = match given.map(|service| service.published()) {
        Some(None) => {
            return Err(AuctionError::Usage("--service: the file gives no key for each server".into()));
        }
        published => published.flatten(),
    };
    let [receipt, log] = arguments.rest("verify: a receipt and a log are expected")?;
    let (receipt, log) = (Receipt::load(Path::new(&receipt))?, SignedLog::load(Path::new(&log))?);
    let verdict = proof::verify(&receipt, &log, published)?;
    print(&json(&verdict))?;
    let wrong = verdict.decisions.iter().filter(|decision| !decision.right).count();
    match wrong {
        0 => Ok(()),
        wrong => Err(AuctionError::Wrong { name: verdict.name, wrong, all: verdict.decisions.len() }),
    }
}

fn json(value: &impl serde::Serialize) -> Value {
    // Serialisation of these types cannot fail.
    serde_json::to_value(value).unwrap_or_default()
}

fn print(value: &Value) -> Result<(), AuctionError> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{value}")
        .map_err(|source| AuctionError::File { file: "stdout".into(), source })
}
