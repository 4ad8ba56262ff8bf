//! A client of WebDriver, as much of it as the tests need, over plain sockets.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Chromium, driven.
pub struct Driver {
    process: Child,
    port: u16,
    session: String,
    /// Gone with the driver.
    _profile: tempfile::TempDir,
}

impl Driver {
    /// None where there is no browser; a failure if there has to be one.
    pub fn start() -> Option<Self> {
        let installed =
            |name: &str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
        if !installed("chromedriver") || !(installed("chromium") || installed("google-chrome")) {
            assert!(
                std::env::var_os("WINSET_BROWSER").is_none(),
                "WINSET_BROWSER is set, and there is no browser"
            );
            eprintln!(
                "SKIPPED: the page was not tested, because chromium and chromedriver are not installed"
            );
            return None;
        }
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new("chromedriver")
            .arg(format!("--port={free}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let profile = tempfile::tempdir().unwrap();
        let mut driver = Driver { process, port: free, session: String::new(), _profile: profile };
        let ready = || TcpStream::connect(("127.0.0.1", free)).is_ok();
        wait("the driver", ready);
        let profile = format!("--user-data-dir={}", driver._profile.path().display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &profile,
        ];
        let made = driver.call(
            "POST",
            "",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": args},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        driver.session = made["sessionId"].as_str().expect("a session").to_owned();
        driver.size(1280, 900);
        Some(driver)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let session = if self.session.is_empty() { String::new() } else { format!("/{}", self.session) };
        let body = if method == "GET" || method == "DELETE" { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        write!(
            stream,
            "{method} /session{session}{path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        // The driver keeps connections open, whatever it is told.
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim_end().to_ascii_lowercase().strip_prefix("content-length:") {
                Some(number) => length = number.trim().parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        let text = String::from_utf8_lossy(&answer);
        let body = &*text;
        let value: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(value["value"]["error"].is_null(), "{method} {path}: {}", value["value"]);
        value["value"].clone()
    }

    /// Speaks to the browser itself.
    pub fn browser(&self, command: &str, params: Value) -> Value {
        self.call("POST", "/goog/cdp/execute", &json!({"cmd": command, "params": params}))
    }

    pub fn open(&self, url: &str) {
        self.call("POST", "/url", &json!({"url": url}));
    }

    pub fn url(&self) -> String {
        self.call("GET", "/url", &Value::Null).as_str().unwrap().to_owned()
    }

    pub fn back(&self) {
        self.call("POST", "/back", &json!({}));
    }

    /// Runs a script and gives back what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.call("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until a script says yes.
    pub fn until(&self, what: &str) {
        let script = format!("return Boolean({what})");
        wait(what, || self.run(&script) == true);
    }

    /// The text of what a selector finds.
    pub fn text(&self, selector: &str) -> String {
        let found =
            self.run(&format!("return document.querySelector({})?.textContent ?? ''", json!(selector)));
        found.as_str().unwrap_or_default().trim().to_owned()
    }

    /// How many elements a selector finds.
    pub fn count(&self, selector: &str) -> u64 {
        self.run(&format!("return document.querySelectorAll({}).length", json!(selector))).as_u64().unwrap()
    }

    /// A real click in the middle of an element.
    pub fn click(&self, selector: &str) {
        let found = self.call("POST", "/element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
        self.call("POST", &format!("/element/{id}/click"), &json!({}));
    }

    /// Presses keys, one after the other.
    pub fn press(&self, keys: &[&str]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
            })
            .collect();
        self.call(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// Takes what is in the middle of an element to the middle of another.
    pub fn drag(&self, from: &str, to: &str) {
        let middle = |selector: &str| {
            let at = self.run(&format!(
                "const r = document.querySelector({}).getBoundingClientRect(); return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)]",
                json!(selector)
            ));
            [at[0].as_i64().unwrap(), at[1].as_i64().unwrap()]
        };
        let (a, b) = (middle(from), middle(to));
        let to = |at: [i64; 2]| json!({"type": "pointerMove", "duration": 60, "x": at[0], "y": at[1]});
        let half = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        self.call("POST", "/actions", &json!({"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [to(a), {"type": "pointerDown", "button": 0}, to(half), to(b), {"type": "pointerUp", "button": 0}]}]}));
    }

    pub fn size(&self, width: u32, height: u32) {
        self.browser(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}),
        );
    }

    /// What the browser prefers: a colour scheme, less motion.
    pub fn prefer(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        self.browser("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    pub fn scripts(&self, on: bool) {
        self.browser("Emulation.setScriptExecutionDisabled", json!({"value": !on}));
    }

    /// What the page complained about since this was last asked.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.call("POST", "/se/log", &json!({"type": "browser"}));
        log.as_array()
            .unwrap()
            .iter()
            .map(|line| line["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Also after a failure: the browser would outlive the driver.
        if !self.session.is_empty() {
            let end = std::panic::AssertUnwindSafe(|| drop(self.call("DELETE", "", &Value::Null)));
            let _ = std::panic::catch_unwind(end);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for something that comes soon, or never: a machine with much to do is patient.
fn wait(what: &str, mut is: impl FnMut() -> bool) {
    let clock = Instant::now();
    while !is() {
        assert!(clock.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(25));
    }
}
