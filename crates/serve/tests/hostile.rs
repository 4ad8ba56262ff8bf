//! Requests that mean no good: an answer with a reason, never a failure of ours, never a file, never a change.

mod common;

use axum::body::Body;
use axum::http::{Method, Request, Version};
use common::{get, post, send, site, solved};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use winset::Catalogue;
use winset_serve::{Config, Limits, Site, serve};

/// An answer that a client may get for whatever it sent.
fn is_fair(status: u16) -> bool {
    [200, 204, 301, 302, 304, 308, 400, 404, 405, 408, 413, 414, 415, 421, 422, 501, 503].contains(&status)
}

#[tokio::test]
async fn paths_lead_nowhere_but_to_what_is_served() {
    let site = site();
    let tricks = [
        "/../../etc/passwd",
        "/assets/../../../etc/passwd",
        "/assets/x/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/x/%2e%2e",
        "/g/..%2f..%2fetc%2fpasswd",
        "/g/%00",
        "/api/v1/games/%00",
        "/api/v1/games/..%2f..%2f",
        "/api/v1/games/%2e%2e/stats",
        "/api/v1/games/%ff%fe/positions",
        "/universal/v1/..%2f/..%2f/",
        "/api/v1/games//positions",
        "//etc/passwd",
        "/api/v1/games/tictactoe-3x3@/positions",
        "/api/v1/games/@/positions",
        "/g/tictactoe-3x3%0d%0ax-evil:1",
        "/assets/%c0%ae%c0%ae/x",
        "/api/v1/games/tictactoe-3x3/../../../etc/passwd",
    ];
    for path in tricks {
        let answer = get(&site, path).await;
        assert!([400, 404].contains(&answer.status.as_u16()), "{path}: {}", answer.status);
        assert!(!answer.text.contains("root:"), "{path}");
        let kind = answer.header("content-type");
        assert!(kind == "application/problem+json" || kind.starts_with("text/html"), "{path}: {kind}");
        assert!(answer.headers.get("x-evil").is_none());
    }
}

#[tokio::test]
async fn wrong_positions_and_moves_are_told_what_is_wrong() {
    let site = site();
    for query in [
        "p=",
        "p=x",
        "p=%00",
        "p=%F0%9F%8E%B2",
        "p=.../.../...+z",
        "moves=a1+a1",
        "moves=((((",
        "moves=9",
        "p=(a",
        "moves=%2e%2e%2f",
    ] {
        let answer = get(&site, &format!("/api/v1/games/tictactoe-3x3/positions?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let problem = answer.json();
        assert_eq!(problem["status"], 400);
        assert!(problem["detail"].as_str().unwrap().len() > 10, "{problem}");
    }
    for query in ["n=0", "n=-1", "n=100000", "n=x", "seed=-1", "seed=99999999999999999999"] {
        assert_eq!(
            get(&site, &format!("/api/v1/games/tictactoe-3x3/sample?{query}")).await.status,
            400,
            "{query}"
        );
    }
    for (query, said) in [("position=x", "unknown field `position`"), ("p=x&p=y", "duplicate field `p`")] {
        let answer = get(&site, &format!("/api/v1/games/tictactoe-3x3/positions?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.text.contains(said), "{}", answer.text);
    }
    let answer = get(&site, "/api/v1/games/tictactoe-3x3/sample?n=x").await;
    assert!(answer.text.contains("n: a whole number is expected"), "{}", answer.text);
    // Whoever passes a link on may add to it.
    assert_eq!(get(&site, "/g/tictactoe-3x3?m=a1&from=elsewhere").await.status, 200);
    for body in ["", "{", "[1]", "{\"positions\": 3}", "null", "[\"\\ud800\"]"] {
        assert_eq!(post(&site, "/api/v1/games/tictactoe-3x3/positions", body).await.status, 400, "{body}");
    }
    // A link that cannot be followed is a page that says so.
    let page = get(&site, "/g/tictactoe-3x3?m=nowhere").await;
    assert_eq!(page.status, 400);
    assert!(page.text.contains("The link could not be followed"));
}

#[tokio::test]
async fn bodies_and_addresses_have_limits() {
    let site = site();
    let huge = format!("[\"{}\"]", "x".repeat(3 << 20));
    let answer = post(&site, "/api/v1/games/tictactoe-3x3/positions", &huge).await;
    assert_eq!(answer.status, 413);
    assert!(answer.json()["detail"].as_str().unwrap().len() > 10);
    // Without a length the bytes are counted.
    let chunks = futures(vec![vec![b' '; 1 << 20]; 4]);
    let request = Request::post("/api/v1/games/tictactoe-3x3/positions")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from_stream(chunks))
        .unwrap();
    assert_eq!(send(&site, request).await.status, 413);
    let many = serde_json::to_string(&vec!["x"; 10_001]).unwrap();
    assert_eq!(post(&site, "/api/v1/games/tictactoe-3x3/positions", &many).await.status, 413);
    let long = format!("/api/v1/games/tictactoe-3x3/positions?p={}", "x".repeat(20_000));
    assert_eq!(get(&site, &long).await.status, 414);
    let deep = "[".repeat(100_000);
    assert_eq!(post(&site, "/api/v1/games/tictactoe-3x3/positions", &deep).await.status, 400);
}

fn futures(chunks: Vec<Vec<u8>>) -> impl tokio_stream::Stream<Item = Result<Vec<u8>, std::io::Error>> {
    tokio_stream::iter(chunks.into_iter().map(Ok))
}

#[tokio::test]
async fn only_names_of_this_machine_are_answered() {
    let site = Site::new(Config { hosts: vec!["games.example".to_owned()], ..Config::default() });
    let ask = async |host: &str| {
        send(&site, Request::get("/api/v1/games").header("host", host).body(Body::empty()).unwrap())
            .await
            .status
            .as_u16()
    };
    for host in [
        "localhost",
        "localhost:8017",
        "127.0.0.1:8017",
        "[::1]:8017",
        "[::1]",
        "192.168.1.7",
        "games.example:80",
        "LOCALHOST.",
    ] {
        assert_eq!(ask(host).await, 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:8017",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[::1].evil.example",
    ] {
        assert_eq!(ask(host).await, 421, "{host}");
    }
    let status = async |request: axum::http::request::Builder| {
        send(&site, request.body(Body::empty()).unwrap()).await.status.as_u16()
    };
    // Only old programs, which are no browsers, may leave it out, and nobody says two.
    assert_eq!(status(Request::get("/api/v1/games")).await, 400);
    assert_eq!(status(Request::get("/api/v1/games").version(Version::HTTP_10)).await, 200);
    let old = Request::get("/api/v1/games").version(Version::HTTP_10).header("host", "evil.example");
    assert_eq!(status(old).await, 421);
    let two = Request::get("/api/v1/games").header("host", "localhost").header("host", "evil.example");
    assert_eq!(status(two).await, 400);
    // A whole address in the first line counts more.
    let whole = Request::get("http://evil.example/api/v1/games").header("host", "localhost");
    assert_eq!(status(whole).await, 421);
    assert_eq!(status(Request::get("http://localhost/api/v1/games").header("host", "localhost")).await, 200);
}

#[tokio::test]
async fn other_origins_may_read_and_the_page_stays_ours() {
    let site = site();
    let api = get(&site, "/api/v1/games").await;
    assert_eq!(api.header("access-control-allow-origin"), "*");
    assert_eq!(api.header("access-control-allow-credentials"), "");
    for path in ["/", "/g/tictactoe-3x3", "/g/tictactoe-3x3/stats"] {
        let page = get(&site, path).await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("access-control-allow-origin"), "", "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        // The policy would stop these; there are none to stop.
        assert!(!page.text.contains(" style=") && !page.text.contains(" onclick"), "{path}");
    }
    let preflight = Request::builder().method(Method::OPTIONS).uri("/api/v1/games/tictactoe-3x3/positions");
    let preflight = send(&site, preflight.header("host", "localhost").body(Body::empty()).unwrap()).await;
    assert_eq!(
        (preflight.status.as_u16(), preflight.header("access-control-allow-headers")),
        (204, "content-type")
    );
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::POST] {
        let request = Request::builder().method(method).uri("/api/v1/games").header("host", "localhost");
        assert_eq!(send(&site, request.body(Body::empty()).unwrap()).await.status, 405);
    }
}

/// Rules whose every name is markup.
const EVIL: &str = r#"
    (role <script>alert`1`</script>) (role o"onload='x')
    (init (cell <img/src=x/onerror=alert`2`> 1 </script><b>)) (init (control <script>alert`1`</script>))
    (<= (legal <script>alert`1`</script> (go </title><script>x</script>)) (true (control <script>alert`1`</script>)))
    (<= (legal o"onload='x' noop) (true (control <script>alert`1`</script>)))
    (<= (legal o"onload='x' (go &amp)) (true (control o"onload='x')))
    (<= (legal <script>alert`1`</script> noop) (true (control o"onload='x')))
    (<= (next (control o"onload='x')) (true (control <script>alert`1`</script>)))
    (<= (next done) (true (control o"onload='x')))
    (<= (next (cell <img/src=x/onerror=alert`2`> 1 </script><b>)) (true (cell <img/src=x/onerror=alert`2`> 1 </script><b>)))
    (<= terminal (true done))
    (goal <script>alert`1`</script> 100) (goal o"onload='x' 0)
"#;

#[tokio::test]
async fn names_from_files_are_text_and_never_markup() {
    let rules = Catalogue::default().gdl("<svg/onload=alert(3)>\u{202e}", EVIL);
    let site = Site::new(Config::default());
    let id = site.add(solved(rules.unwrap()));
    assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}");
    let pages = ["", "/stats", "/quiz", "/proof"].map(|page| format!("/g/{id}{page}"));
    for path in pages.into_iter().chain(["/".to_owned()]) {
        let page = get(&site, &path).await;
        assert_eq!(page.status, 200, "{path}");
        let text = page.text.to_lowercase();
        let scripts = text.matches("<script").count();
        let ours = text.matches("<script type=\"module\" src=\"/assets/").count()
            + text.matches("<script type=\"application/json\"").count();
        assert_eq!(scripts, ours, "{path}");
        for markup in ["<img", "<svg/onload", "</script><b", "\u{202e}"] {
            assert!(!text.contains(markup), "{path}: {markup}");
        }
        // Data for the page's own script is JSON, in which a quote is a quote.
        let markup = text.split("<script type=\"application/json\"").enumerate();
        let mut markup =
            markup.map(|(i, part)| if i == 0 { part } else { part.split_once("</script>").unwrap().1 });
        assert!(markup.all(|part| !part.contains("onload='")), "{path}");
    }
    let games = get(&site, "/api/v1/games").await;
    assert!(!games.text.contains('\u{202e}') && games.text.contains("\\\\u{202e}"));
    assert_eq!(games.header("content-type"), "application/json");
    let svg = get(&site, &format!("/api/v1/games/{id}/stats.svg")).await;
    assert!(!svg.text.contains("<script") && !svg.text.contains("<svg/onload"));
}

/// A small generator: the same requests every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

#[tokio::test]
async fn ten_thousand_random_requests_get_fair_answers() {
    let site = site();
    let mut random = Random(2026);
    let places = ["/", "/g/", "/api/v1/", "/api/v1/games/", "/universal/v1/", "/assets/", ""];
    let words = [
        "tictactoe-3x3",
        "connect4-4x4",
        "checkers-4",
        "nim",
        "positions",
        "line",
        "stats",
        "history",
        "histogram",
        "quiz",
        "sample",
        "rules",
        "winset-tictactoe",
        "winset-nim",
        "instructions",
        "..",
        "%2e%2e",
        "%00",
        "%",
        "@",
        "a@b",
        "x".repeat(300).leak(),
        "é",
        "?",
        "&",
        "=",
    ];
    let queries = ["p", "moves", "m", "n", "seed", "locale", "%"];
    let values = [
        ".../.../...+x",
        "xo./.../...+x",
        "a1+b2",
        "1,1,1",
        "-5",
        "99999",
        "(heap+a+3)",
        "....,....,....,....~o",
        "%ff",
        "",
        "+",
        "b...._/",
    ];
    for _ in 0..10_000 {
        let mut path = random.pick(&places).to_owned();
        for _ in 0..random.below(5) {
            path.push_str(random.pick(&words));
            path.push_str(random.pick(&["/", "/", ""]));
        }
        for i in 0..random.below(3) {
            path.push_str(if i == 0 { "?" } else { "&" });
            path.push_str(&format!("{}={}", random.pick(&queries), random.pick(&values)));
        }
        let method =
            [Method::GET, Method::GET, Method::GET, Method::POST, Method::HEAD, Method::PUT, Method::OPTIONS]
                [random.below(7)]
            .clone();
        let request = Request::builder()
            .method(method)
            .uri(&path)
            .header("host", random.pick(&["localhost", "localhost", "localhost", "evil", "127.0.0.1"]));
        let request = request.header("content-type", random.pick(&["application/json", "text/plain", ""]));
        let body = random.pick(&["", "[]", "[\"...\"]", "{", "\u{0}\u{1}", "[\".../.../... x\"]"]);
        // What is no address never comes as far as this.
        let Ok(request) = request.body(Body::from(body)) else { continue };
        let answer = send(&site, request).await;
        assert!(is_fair(answer.status.as_u16()), "{path}: {} {}", answer.status, answer.text);
        if answer.status.is_client_error() && !answer.text.is_empty() {
            assert!(
                answer.text.contains("detail")
                    || answer.text.contains("<h1>")
                    || answer.text.contains("could not be followed"),
                "{path}: {}",
                answer.text
            );
        }
    }
}

/// A server on a port of its own, with little patience.
async fn listening(
    site: Site,
    limits: Limits,
) -> (std::net::SocketAddr, tokio::sync::oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        serve(listener, &site, limits, async { drop(stopped.await) }).await.unwrap();
    });
    (address, stop, task)
}

async fn ask(address: std::net::SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = tokio::time::timeout(Duration::from_secs(30), stream.read_to_string(&mut answer)).await;
    answer
}

const SIMPLE: &str = "GET /api/v1/games HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_let_go_and_others_are_served_meanwhile() {
    let limits = Limits { head: Duration::from_millis(300), ..Limits::default() };
    let config = Config { time: Duration::from_millis(400), ..Config::default() };
    let (address, _stop, _task) = listening(Site::new(config), limits).await;
    let mut slow = vec![];
    for _ in 0..50 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: loc").await.unwrap();
        slow.push(stream);
    }
    assert!(ask(address, SIMPLE).await.starts_with("HTTP/1.1 200"));
    for mut stream in slow {
        let mut rest = vec![];
        // Closed by the server, with or without a word.
        tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest))
            .await
            .expect("let go")
            .ok();
    }
    // A body that does not come.
    let body = "POST /api/v1/games/x/positions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\nconnection: close\r\n\r\n[";
    assert!(ask(address, body).await.starts_with("HTTP/1.1 408"));
}

/// Clients that asked for much and never read kept their connections for ever, and with them the room of all others.
#[tokio::test(flavor = "multi_thread")]
async fn who_never_reads_kept_the_connection() {
    let limits = Limits { connections: 2, answer: Duration::from_millis(300), ..Limits::default() };
    let (address, _stop, _task) = listening(site(), limits).await;
    let text = "GET /api/v1/games/tictactoe-3x3/sample?n=1000&seed=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut greedy = vec![];
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // More than fits into the buffers on the way.
        for _ in 0..500 {
            let sent =
                tokio::time::timeout(Duration::from_millis(100), stream.write_all(text.as_bytes())).await;
            if !matches!(sent, Ok(Ok(()))) {
                break;
            }
        }
        greedy.push(stream);
    }
    let mut told = String::new();
    for _ in 0..100 {
        told = ask(address, SIMPLE).await;
        if told.starts_with("HTTP/1.1 200") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    drop(greedy);
}

/// A refused body is read all the same, so that the connection can be used again.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_body_does_not_end_the_connection() {
    let (address, _stop, _task) = listening(site(), Limits::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = "POST /api/v1/games/tictactoe-3x3/positions HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    stream.write_all(b"[\"x\", 1]").await.unwrap();
    stream.write_all(SIMPLE.as_bytes()).await.unwrap();
    let mut both = String::new();
    tokio::time::timeout(Duration::from_secs(30), stream.read_to_string(&mut both)).await.unwrap().unwrap();
    assert!(both.starts_with("HTTP/1.1 415") && both.contains("HTTP/1.1 200"), "{both}");
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_connections_and_one_too_many() {
    let limits = Limits { connections: 500, ..Limits::default() };
    let (address, _stop, _task) = listening(Site::new(Config::default()), limits).await;
    let mut open = vec![];
    for _ in 0..499 {
        open.push(TcpStream::connect(address).await.unwrap());
    }
    assert!(ask(address, SIMPLE).await.starts_with("HTTP/1.1 200"));
    // Those that are open are served, one after the other.
    for stream in &mut open[..20] {
        stream.write_all(SIMPLE.as_bytes()).await.unwrap();
        let mut answer = vec![0; 15];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
    }
    let more: Vec<TcpStream> = futures_of(address, 30).await;
    let told = ask(address, SIMPLE).await;
    assert!(told.starts_with("HTTP/1.1 503") && told.contains("too many connections"), "{told}");
    let body = told.split("\r\n\r\n").nth(1).unwrap();
    assert!(told.contains(&format!("content-length: {}", body.len())));
    drop((more, open));
}

async fn futures_of(address: std::net::SocketAddr, n: usize) -> Vec<TcpStream> {
    let mut all = vec![];
    for _ in 0..n {
        all.push(TcpStream::connect(address).await.unwrap());
    }
    // They have to be accepted before the next is asked about.
    tokio::time::sleep(Duration::from_millis(200)).await;
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_refused_and_nothing_else_happens() {
    let (address, stop, task) = listening(site(), Limits::default()).await;
    let big = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(5000));
    for text in [
        "\0\0\0\0\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
        "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        &big,
        &many,
    ] {
        let answer =
            tokio::time::timeout(Duration::from_secs(3), ask(address, text)).await.unwrap_or_default();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert!(ask(address, SIMPLE).await.starts_with("HTTP/1.1 200"));
    // Told to stop, it stops.
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), task).await.expect("stops").unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
