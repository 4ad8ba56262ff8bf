//! Pieces of HTML. Everything that comes from a file or a client is escaped here.

use crate::answer::PositionAnswer;
use crate::page::asset;
use crate::shelf::Room;
use serde_json::Value;
use std::fmt::Write;
use winset_explore::stats::Stats;

/// Text as text, wherever it stands.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// Text as a part of a query.
pub fn address_of(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'(' | b')' => {
                safe.push(byte as char);
            }
            b' ' => safe.push('+'),
            other => {
                let _ = write!(safe, "%{other:02X}");
            }
        }
    }
    safe
}

/// A count as people read it.
pub fn grouped(n: u64) -> String {
    winset_model::grouped(n)
}

/// The sign of a value, besides its colour and its word.
pub fn glyph(value: Option<&str>) -> &'static str {
    match value {
        Some("win") => "W",
        Some("lose") => "L",
        Some("tie") => "=",
        Some("draw") => "∞",
        _ => "?",
    }
}

/// The head of every page.
pub fn top(game: Option<(&str, &str)>, here: &str) -> String {
    let link = |mode: &str, href: String, word: &str| {
        let current = if mode == here { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{href}\"{current}>{word}</a>")
    };
    let nav = game.map_or(String::new(), |(id, title)| {
        format!(
            "<span class=\"name\">{}</span><nav aria-label=\"This game\">{}{}{}{}</nav>",
            escape(title),
            link("play", format!("/g/{id}"), "Play"),
            link("quiz", format!("/g/{id}/quiz"), "Quiz"),
            link("stats", format!("/g/{id}/stats"), "Statistics"),
            link("proof", format!("/g/{id}/proof"), "Proof"),
        )
    });
    format!(
        "<header class=\"top\"><a class=\"mark\" href=\"/\" aria-label=\"winset, all games\">win<b>set</b></a>{nav}</header>"
    )
}

/// A whole document.
pub fn document(
    title: &str,
    about: &str,
    script: &str,
    top: &str,
    body: &str,
    data: Option<&Value>,
) -> String {
    let (title, about) = (escape(title), escape(about));
    let script = match script {
        "" => String::new(),
        name => format!("<script type=\"module\" src=\"{}\"></script>", asset(name)),
    };
    // A data block is not run; only the end of its element must not stand in it.
    let data = data.map_or(String::new(), |data| {
        let text = data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        format!("<script type=\"application/json\" id=\"data\">{text}</script>")
    });
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · winset</title>\
         <meta name=\"description\" content=\"{about}\"><meta property=\"og:title\" content=\"{title}\">\
         <meta property=\"og:description\" content=\"{about}\"><meta property=\"og:site_name\" content=\"winset\">\
         <link rel=\"stylesheet\" href=\"{}\"><link rel=\"stylesheet\" href=\"{}\">\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"{}\">{script}</head>\
         <body><a class=\"skip\" href=\"#moves\">Skip to the moves</a>{top}{body}{data}</body></html>\n",
        asset("style.css"),
        asset("board.css"),
        asset("icon.svg"),
    )
}

/// The statistics page: its tables are there without script.
pub fn stats_page(room: &Room, details: &Value, stats: &Stats, answer: &PositionAnswer) -> String {
    let (id, title) = (&room.id, room.title());
    let head = ["layer", "positions", "ended"].map(str::to_owned).into_iter();
    let head: String = head
        .chain(stats.values.iter().map(|column| column.name.clone()))
        .map(|name| format!("<th scope=\"col\">{}</th>", escape(&name)))
        .collect();
    let row = |name: String, row: &winset_explore::stats::Row| {
        let cells = match &row.by_value {
            Some(counts) => counts.iter().map(|&n| format!("<td>{}</td>", grouped(n))).collect::<String>(),
            None => "<td>·</td>".repeat(stats.values.len()),
        };
        format!(
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td>{cells}</tr>",
            grouped(row.positions),
            grouped(row.terminal)
        )
    };
    let rows: String = stats.layers.iter().map(|layer| row(layer.layer.to_string(), layer)).collect();
    let foot = row("all".to_owned(), &stats.total);
    let formats = |name: &str| {
        ["", ".csv", ".svg"]
            .map(|end| {
                let word = if end.is_empty() { "JSON" } else { &end[1..].to_uppercase() };
                format!("<a href=\"/api/v1/games/{id}/{name}{end}\">{word}</a>")
            })
            .join(" ")
    };
    let unfinished = match details["complete"].as_bool() {
        Some(true) => String::new(),
        _ => format!(
            "<p class=\"why\">{} of {} layers are solved so far.</p>",
            details["layersSolved"], details["layers"]
        ),
    };
    let body = format!(
        "<main class=\"plain stats\"><h1>{} in figures</h1><p class=\"lead\">{} positions in {} {}. {}.</p>{unfinished}\
         <section class=\"card\"><h2>Won, level and lost in each layer</h2><p class=\"formats\">{}</p>\
         <div id=\"layers\" class=\"figure\"></div><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Positions per layer\"><table><thead><tr>{head}</tr></thead>\
         <tbody>{rows}</tbody><tfoot>{foot}</tfoot></table></div></section>\
         <section class=\"card\"><h2>How far from the end</h2><p class=\"formats\">{}</p>\
         <div id=\"histogram\" class=\"figure\"><noscript>The figures are behind the links.</noscript></div></section>\
         <section class=\"card\"><h2>The longest wins</h2><p class=\"formats\">{}</p><div id=\"longest\"><noscript>They are in the JSON.</noscript></div></section>\
         </main>",
        escape(&title),
        grouped(stats.total.positions),
        stats.layers.len(),
        if stats.layers.len() == 1 { "layer" } else { "layers" },
        escape(details["start"]["sentence"].as_str().unwrap_or_default()),
        formats("stats"),
        formats("histogram"),
        formats("histogram"),
    );
    let data = serde_json::json!({"game": details, "stats": stats, "position": answer});
    let heading = format!("{title} in figures");
    let about =
        format!("{title}: {} positions, won, level and lost in each layer.", grouped(stats.total.positions));
    document(
        &heading,
        &about,
        "stats.js",
        &top(Some((id.as_str(), title.as_str())), "stats"),
        &body,
        Some(&data),
    )
}

/// What a solution rests on: how it was solved, who checked it, digests of everything.
pub fn proof_page(room: &Room, details: &Value) -> String {
    let (id, title) = (&room.id, room.title());
    let solution = &details["solution"];
    let text = |value: &Value| escape(value.as_str().unwrap_or_default());
    let verified = match &solution["verified"] {
        Value::Null => {
            "<p class=\"verdict unknown\"><span class=\"glyph\" aria-hidden=\"true\">?</span> <strong>Not checked yet.</strong></p>\
             <p><code>winset verify</code> derives every value from the rules once more, by \
             code that no engine shares.</p>"
                .to_owned()
        }
        found => {
            // Only what was proved without a fault gets the sign of it.
            let (class, sign, word) = match (found["proved"] == true, found["faults"] == 0) {
                (_, false) => ("lose", "×", "Faulty:"),
                (true, true) => ("win", "✓", "Proved:"),
                (false, true) => ("unknown", "?", "Checked in part:"),
            };
            format!(
                "<p class=\"verdict {class}\"><span class=\"glyph\" aria-hidden=\"true\">{sign}</span> <span>{word} \
                 <strong>{}</strong> of {} positions looked at by {}, {} faults found.</span></p>",
                grouped(found["checked"].as_u64().unwrap_or(0)),
                grouped(found["of"].as_u64().unwrap_or(0)),
                text(&found["tool"]),
                found["faults"],
            )
        }
    };
    let files: String = solution["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td><code>{}</code></td></tr>",
                text(&file["file"]),
                grouped(file["bytes"].as_u64().unwrap_or(0)),
                text(&file["blake3"])
            )
        })
        .collect();
    let body = format!(
        "<main class=\"plain stats\"><h1>What {} rests on</h1><p class=\"lead\">{} positions. {}.</p>\
         <section class=\"card\"><h2>Verification</h2>{verified}</section>\
         <section class=\"card\"><h2>Digests</h2><p class=\"formats\"><a href=\"/api/v1/games/{id}\">JSON</a></p>\
         <dl><dt>Solved by</dt><dd>{}, engine {}</dd><dt>The solution</dt><dd><code>{}</code></dd>\
         <dt>The rules</dt><dd><code>{}</code> (<a href=\"/api/v1/games/{id}/rules\">as text</a>)</dd></dl>\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Files\"><table class=\"files\"><thead><tr>\
         <th scope=\"col\">file</th><th scope=\"col\">bytes</th><th scope=\"col\">BLAKE3</th></tr></thead>\
         <tbody>{files}</tbody></table></div></section></main>",
        escape(&title),
        grouped(details["positions"].as_u64().unwrap_or(0)),
        escape(details["start"]["sentence"].as_str().unwrap_or_default()),
        text(&solution["tool"]),
        text(&solution["engine"]),
        text(&details["digest"]),
        text(&solution["rules"]),
    );
    let about = format!("{title}: how it was solved, what was verified, digests of all files.");
    let top = top(Some((id.as_str(), title.as_str())), "proof");
    document(&format!("What {title} rests on"), &about, "", &top, &body, None)
}
