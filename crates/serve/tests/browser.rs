//! The page in a real browser: every built-in game played to its end, by mouse and by keyboard alone, with and without
//! script, on a phone. Skipped with a word where there is no browser; `.ci/run` sets WINSET_BROWSER, so that it fails
//! there instead.

mod common;
#[path = "browser/driver.rs"]
mod driver;
#[path = "browser/readable.rs"]
mod readable;

use common::{rules, solved};
use driver::Driver;
use serde_json::{Value, json};
use winset::Catalogue;
use winset_serve::{Background, Config, Limits, Site, background};

/// A page says when it is ready; one without script is, once it is there.
const READY: &str = "document.readyState === 'complete' && (document.body.dataset.ready !== undefined || \
    !document.querySelector('script[type=module]'))";

struct Page {
    driver: Driver,
    base: String,
    site: Site,
    runtime: tokio::runtime::Runtime,
    _server: Background,
    _folder: tempfile::TempDir,
}

impl Page {
    fn open(&self, path: &str) {
        self.driver.open(&format!("{}{path}", self.base));
        self.driver.until(READY);
    }

    fn sentence(&self) -> String {
        self.driver.text("#sentence")
    }

    /// Asks the server, past the browser.
    fn ask(&self, path: &str) -> Value {
        self.runtime.block_on(common::get(&self.site, path)).json()
    }

    /// The moves in the address.
    fn moves(&self) -> String {
        let url = self.driver.url();
        url.split_once("m=").map_or(String::new(), |(_, moves)| moves.to_owned())
    }

    fn no_complaints(&self, where_: &str) {
        let complaints = self.driver.complaints();
        assert!(complaints.is_empty(), "{where_}: {complaints:?}");
    }
}

fn page() -> Option<Page> {
    let driver = Driver::start()?;
    let folder = tempfile::tempdir().unwrap();
    let site = Site::new(Config { solve_into: Some(folder.path().to_owned()), ..Config::default() });
    for (name, size) in [
        ("tictactoe", None),
        ("connect4", Some("4x4")),
        ("othello", Some("4x4")),
        ("breakthrough", Some("4x3")),
        ("checkers", Some("3")),
        ("checkers", Some("4")),
        ("chomp", Some("3x3")),
    ] {
        site.add(solved(rules(name, size)));
    }
    site.add(solved(rules("nim", None)));
    let ttt = Catalogue::default().gdl("noughts", include_str!("../../gdl/games/tic_tac_toe.kif")).unwrap();
    site.add(solved(ttt));
    let three = Catalogue::default().gdl("three", include_str!("../../gdl/tests/corpus/three.kif")).unwrap();
    site.add(solved(three));
    // Enough for the list to have a field that finds, with twins.
    for (name, size) in [("chomp", "3x3"), ("chomp", "2x2"), ("chomp", "4x2"), ("hex", "2")] {
        site.add(solved(rules(name, Some(size))));
    }
    let server = background(([127, 0, 0, 1], 0).into(), &site, Limits::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let base = format!("http://{}", server.address);
    Some(Page { driver, base, site, runtime, _server: server, _folder: folder })
}

#[test]
fn the_page_does_what_it_says() {
    let Some(page) = page() else { return };
    // Pieces need no time to arrive.
    page.driver.prefer(&[("prefers-reduced-motion", "reduce")]);
    // Chomp's end cannot be found to arise from its picture alone.
    for game in
        ["tictactoe-3x3", "connect4-4x4", "othello-4x4", "breakthrough-4x3", "checkers-3", "chomp-3x3"]
    {
        plays_to_the_end(&page, game);
    }
    goes_back_and_forth(&page);
    works_without_script(&page);
    sets_up_positions(&page);
    shows_figures(&page);
    plays_rules_from_files(&page);
    needs_no_mouse(&page);
    drags(&page);
    draws_every_board(&page);
    asks_questions(&page);
    follows_no_broken_link(&page);
    tells_three_players_apart(&page);
    finds_games(&page);
    solves_while_one_watches(&page);
    fits_a_phone(&page);
    readable::everywhere(&page.driver, &page.base);
    page.no_complaints("everything");
}

/// A human who plays the worst moves against perfection: it wins what is won, and never gives anything away.
fn plays_to_the_end(page: &Page, game: &str) {
    let d = &page.driver;
    page.open(&format!("/g/{game}"));
    d.run("const s = document.querySelectorAll('.side select')[1]; s.value = '100'; s.dispatchEvent(new Event('change'))");
    for _ in 0..80 {
        d.until("document.querySelector('#moves').getAttribute('aria-busy') === 'false'");
        if d.count("#moves button.move") == 0 {
            break;
        }
        // The last of the list is the worst.
        d.run("const all = document.querySelectorAll('#moves button.move:enabled'); all[all.length - 1].click()");
    }
    assert!(page.sentence().starts_with("The game has ended"), "{game}: {}", page.sentence());
    let history = page.ask(&format!("/api/v1/games/{game}/history?moves={}", page.moves()));
    let positions = history["positions"].as_array().unwrap();
    assert!(positions.len() > 1, "{game}");
    for pair in positions.windows(2) {
        if pair[0]["turn"] == 2 {
            assert_eq!(pair[0]["rewards"], pair[1]["rewards"], "{game}: perfection gave something away");
        }
    }
    page.no_complaints(game);
}

fn goes_back_and_forth(page: &Page) {
    let d = &page.driver;
    page.open("/g/connect4-4x4?m=1+2+3");
    assert_eq!(d.count(".plies li"), 3);
    let here = page.sentence();
    d.click("[data-tool=back]");
    d.until("document.querySelector('[data-tool=forward]:enabled')");
    assert!(page.driver.url().ends_with("m=1+2"), "{}", d.url());
    d.click("[data-tool=forward]");
    assert_eq!(page.sentence(), here);
    d.click("[data-tool=start]");
    assert_eq!(d.count(".squares .piece"), 0);
    d.click("[data-tool=new]");
    d.until("document.querySelectorAll('.plies li').length === 0");
    // A move that gives something away is said to.
    page.open("/g/breakthrough-4x3?m=b1b2");
    assert!(d.text(".changed-note").starts_with("Value changed here"), "{}", d.text("#history"));
    // The browser's own way back.
    page.open("/g/tictactoe-3x3");
    d.click("#moves button.move[data-move=b2]");
    d.until("document.querySelectorAll('.squares .piece').length === 1");
    d.back();
    d.until("document.querySelectorAll('.squares .piece').length === 0");
    // A perfect line to its end.
    d.click("[data-tool=line]");
    d.until("document.querySelector('#sentence').textContent.startsWith('The game has ended')");
    assert_eq!(d.count(".plies li"), 9);
    // Sides are swapped, and perfection begins.
    page.open("/g/tictactoe-3x3");
    d.run("const s = document.querySelectorAll('.side select')[1]; s.value = '100'; s.dispatchEvent(new Event('change'))");
    d.click("[data-tool=swap]");
    d.until("document.querySelectorAll('.squares .piece').length === 1 && document.querySelector('#moves').getAttribute('aria-busy') === 'false'");
    page.no_complaints("history");
}

fn works_without_script(page: &Page) {
    let d = &page.driver;
    d.scripts(false);
    d.open(&format!("{}/g/tictactoe-3x3?m=a1+b2", page.base));
    // The document is read as the server wrote it.
    let html = d.browser("Runtime.evaluate", json!({"expression": "document.documentElement.outerHTML"}));
    let html = html["result"]["value"].as_str().unwrap_or_default().to_owned();
    assert!(html.contains("A tie in 7 plies") && html.contains("og:description"), "{html}");
    assert!(html.contains("<pre class=\"drawn\">"));
    d.click("#moves a");
    assert!(d.url().contains("/g/tictactoe-3x3?p="), "{}", d.url());
    d.scripts(true);
}

fn sets_up_positions(page: &Page) {
    let d = &page.driver;
    page.open("/g/connect4-4x4");
    d.click("[data-tool=edit]");
    d.until("document.querySelector('.palette')");
    d.run("document.querySelector('.brush[aria-label=x]').click()");
    d.click("[data-square=a3]");
    d.until("document.querySelector('#sentence').textContent.includes('cannot come')");
    assert!(d.text("#verdict .why").len() > 10, "{}", d.text("#verdict"));
    // With the stones below it, and the right player to move, it can arise.
    d.run("const f = document.querySelector('.position-text'); f.value = '..../..../..../x... o'; f.dispatchEvent(new Event('change'))");
    d.until("document.querySelector('#sentence').textContent.includes('tie')");
    d.run("const f = document.querySelector('.position-text'); f.value = 'nonsense'; f.dispatchEvent(new Event('change'))");
    d.until("document.querySelector('#sentence').textContent.includes('not a position')");
    d.run("const f = document.querySelector('.position-text'); f.value = '..../..../..../xo.. x'; f.dispatchEvent(new Event('change'))");
    d.until("document.querySelector('#sentence').textContent.includes('tie')");
    d.run("[...document.querySelectorAll('.editor button')].at(-1).click()");
    d.until("location.search.startsWith('?p=') && document.querySelectorAll('.squares .piece').length === 2");
    // Asking for what is not a position is an answer of the server's that the browser tells of.
    d.complaints();
}

fn shows_figures(page: &Page) {
    let d = &page.driver;
    page.open("/g/connect4-4x4/stats");
    assert!(d.count("#layers rect") > 20 && d.count("#histogram rect") > 15);
    assert_eq!(d.count("#histogram .lit"), 1, "the start's bar");
    assert!(d.text("tfoot").contains("161,029"), "{}", d.text("tfoot"));
    assert_eq!(d.count("a[href$='.csv']"), 3, "beside every figure");
    d.click("#longest a");
    d.until("document.querySelector('#sentence')");
    assert!(page.sentence().contains("wins in"), "{}", page.sentence());
    page.open("/g/connect4-4x4/proof");
    assert!(d.text("main").contains("Not checked yet") && d.text("thead").contains("BLAKE3"));
    page.no_complaints("statistics");
}

/// Boards that are no squares in rows: each is drawn, and played by clicking where a player would.
const BOARDS: [(&str, Option<&str>, &str); 12] = [
    ("hex", Some("2"), "a1"),
    ("dots-and-boxes", Some("1x1"), "b1"),
    ("sim", Some("4"), "a1"),
    ("bridg-it", Some("2"), "a1"),
    ("pong-hau-ki", None, "a1 b2"),
    ("mu-torere", None, "c2 b2"),
    ("kalah", Some("2x1"), "c1"),
    ("chomp", Some("3x2"), "c1"),
    ("kayles", Some("4"), "a1"),
    ("quarto", Some("2"), ""),
    ("gobblet", Some("1x1"), "a1"),
    ("krk", Some("4"), ""),
];

fn draws_every_board(page: &Page) {
    let d = &page.driver;
    for (name, size, clicks) in BOARDS {
        let id = page.site.add(solved(rules(name, size)));
        page.open(&format!("/g/{id}"));
        assert!(d.count(".squares .square .area") > 0, "{name}");
        let drawn = d.run("const r = document.querySelector('.squares').getBoundingClientRect(); return r.width > 200 && r.height > 40");
        assert_eq!(drawn, true, "{name}");
        for square in clicks.split_whitespace() {
            d.click(&format!("[data-square={square}]"));
        }
        if !clicks.is_empty() {
            d.until("document.querySelectorAll('.plies li').length === 1");
        }
        page.no_complaints(name);
    }
}

fn plays_rules_from_files(page: &Page) {
    let d = &page.driver;
    page.open("/g/noughts");
    assert_eq!(d.count(".squares .square"), 9);
    // Rows and columns are called as in the names of moves.
    assert_eq!(d.run("return document.querySelector('.squares .names').textContent"), "123321");
    d.click("[data-square='2,2']");
    d.until("document.querySelectorAll('.squares .piece').length === 1");
    d.click("[data-square='1,1']");
    d.until("document.querySelectorAll('.squares .piece').length === 2");
    // A heap: several moves on one square, and one has to choose.
    page.open("/g/nim");
    assert_eq!(d.count(".squares.line .square"), 4);
    d.click("[data-square=d]");
    d.until("document.querySelector('dialog[open] .choices button')");
    d.run("document.querySelector('dialog .choices button').click()");
    d.until("document.querySelectorAll('.plies li').length === 1");
    page.no_complaints("rules from files");
}

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const ESCAPE: &str = "\u{e00c}";

fn needs_no_mouse(page: &Page) {
    let d = &page.driver;
    page.open("/g/connect4-4x4");
    d.press(&[" "]);
    d.until("document.querySelectorAll('.plies li').length === 1");
    d.press(&[" "]);
    d.until("document.querySelectorAll('.plies li').length === 2");
    d.press(&[LEFT]);
    d.until("document.querySelector('.ply-move.here')?.textContent === document.querySelectorAll('.ply-move')[0].textContent && location.search.split('+').length === 1");
    d.press(&[RIGHT]);
    d.until("location.search.split('+').length === 2");
    d.press(&[ESCAPE]);
    d.until("location.search === ''");
    // Everything by Tab: a square of the board, a move of the list, every tool.
    let mut seen = vec![];
    d.run("document.activeElement?.blur()");
    for _ in 0..70 {
        d.press(&[TAB]);
        let at = d.run("const e = document.activeElement; return e.dataset.square ? 'square' : e.dataset.tool ? 'tool:' + e.dataset.tool : e.className.baseVal ?? e.className");
        seen.push(at.as_str().unwrap_or_default().to_owned());
    }
    for part in ["square", "tool:best", "tool:side0", "tool:hints", "move"] {
        assert!(seen.iter().any(|at| at.starts_with(part)), "{part}: {seen:?}");
    }
    // A focused square plays.
    d.run("document.querySelector('[data-square=b1]').focus()");
    d.press(&[ENTER]);
    d.until("document.querySelectorAll('.squares .piece').length === 1");
    page.no_complaints("keyboard");
}

fn drags(page: &Page) {
    let d = &page.driver;
    page.open("/g/breakthrough-4x3");
    d.drag("[data-square=a1]", "[data-square=a2]");
    d.until("document.querySelector('.ply-move')?.textContent.startsWith('a1a2')");
    // The other player's turn, by two clicks.
    d.click("[data-square=b4]");
    d.click("[data-square=b3]");
    d.until("document.querySelectorAll('.plies li').length === 2");
    page.no_complaints("dragging");
}

fn asks_questions(page: &Page) {
    let d = &page.driver;
    page.open("/g/connect4-4x4/quiz");
    d.until("document.querySelector('#sentence').textContent.startsWith('Only one move')");
    assert_eq!(d.count(".hint"), 0, "nothing is given away");
    d.run("document.querySelector('#moves button.move').click()");
    d.until("document.querySelector('.note')");
    assert!(d.text(".score").ends_with("of 1 right"), "{}", d.text(".score"));
    d.click("[data-tool=next]");
    d.until("!document.querySelector('.note')");
    page.no_complaints("quiz");
}

/// What is wrong with a link stays to be read, and goes into no other link.
fn follows_no_broken_link(page: &Page) {
    let d = &page.driver;
    for query in ["p=zzz", "m=a1+a1", "p=zzz&m=a1"] {
        page.open(&format!("/g/tictactoe-3x3?{query}"));
        assert!(d.text("#verdict .why").contains("could not be followed"), "{query}");
        assert!(d.url().ends_with("/g/tictactoe-3x3"), "{query}: {}", d.url());
        d.click("[data-square=a1]");
        d.until("document.querySelectorAll('.squares .piece').length === 1");
        assert_eq!((d.count("#verdict .why"), page.moves().as_str()), (0, "a1"), "{query}");
    }
    // The browser itself says that the links were refused.
    let complaints = d.complaints();
    assert!(complaints.iter().all(|said| said.to_string().contains("400")), "{complaints:?}");
}

/// The line of the game says who wins, whoever is to move.
fn tells_three_players_apart(page: &Page) {
    let d = &page.driver;
    page.open("/g/three");
    assert_eq!(d.count(".side .seat-number"), 3);
    assert_eq!(d.text(".ends span:last-child"), "others");
    for plies in 0..3 {
        let answer = page.ask(&format!("/api/v1/games/three/positions?moves={}", page.moves()));
        let rewards: Vec<i64> =
            answer["rewards"].as_array().unwrap().iter().map(|r| r.as_i64().unwrap()).collect();
        let side = match rewards[0].cmp(rewards[1..].iter().max().unwrap()) {
            std::cmp::Ordering::Greater => "one",
            std::cmp::Ordering::Less => "two",
            std::cmp::Ordering::Equal => "level",
        };
        assert_eq!(d.count(&format!(".line-chart .ply.here.{side}")), 1, "{answer}");
        d.run("const all = document.querySelectorAll('#moves button.move'); all[all.length - 1].click()");
        d.until(&format!("document.querySelectorAll('.plies li').length === {}", plies + 1));
    }
    page.no_complaints("three players");
}

fn finds_games(page: &Page) {
    let d = &page.driver;
    page.open("/");
    let shown = "[...document.querySelectorAll('.games > li')].filter(card => !card.hidden).length";
    let all = d.run(&format!("return {shown}")).as_u64().unwrap();
    d.run("const f = document.getElementById('filter'); f.value = 'chomp 3x3'; f.dispatchEvent(new Event('input'))");
    assert_eq!(d.run(&format!("return {shown}")), json!(2));
    assert!(d.text(".games").contains("chomp-3x3-2"), "twins are told apart");
    d.run("const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input'))");
    assert_eq!(d.run(&format!("return {shown}")), json!(all));
    page.no_complaints("finding games");
}

fn solves_while_one_watches(page: &Page) {
    let d = &page.driver;
    page.open("/solve");
    d.run("const f = document.forms[0]; f.game.value = 'connect4'; f.size.value = '4x5'; f.requestSubmit()");
    d.until("document.body.dataset.ready === 'ended'");
    assert_eq!(d.count("#layers rect.value0"), 21, "every layer is solved");
    assert!(d.text("#said").contains("tie"), "{}", d.text("#said"));
    d.click("#act a");
    d.until("document.querySelector('#sentence')");
    assert!(d.url().contains("/g/connect4-4x5"), "{}", d.url());
    page.no_complaints("solving");
}

fn fits_a_phone(page: &Page) {
    let d = &page.driver;
    d.size(400, 800);
    for path in [
        "/",
        "/g/connect4-4x4?m=1+2",
        "/g/checkers-4",
        "/g/nim",
        "/g/othello-4x4/stats",
        "/g/othello-4x4/proof",
        "/g/tictactoe-3x3/quiz",
        "/solve",
    ] {
        page.open(path);
        let wide = d.run("return document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= 400, "{path}: {wide}");
    }
    page.open("/g/connect4-4x4");
    d.click("[data-square=c1]");
    d.until("document.querySelectorAll('.squares .piece').length === 1");
    // Fingers need room.
    let small = d.run("return [...document.querySelectorAll('.toolbar button, .moves button, .top nav a')].filter(b => b.getBoundingClientRect().height < 32).map(b => b.textContent)");
    assert_eq!(small, json!([]));
    d.size(1280, 900);
}
