//! Whether everybody can read and reach the page: names for everything that can be pressed, enough contrast in light
//! and dark, nothing that is focused and cannot be seen.

use crate::driver::Driver;
use serde_json::json;

/// Elements that can be pressed or filled in and have no name that could be read aloud.
const NAMELESS: &str = r#"
    const name = e => (e.getAttribute('aria-label') ?? e.textContent ?? '').trim() || e.closest('label')?.textContent.trim() || e.title;
    return [...document.querySelectorAll('a, button, input, select, [role=button], [role=radio], svg[role]')]
        .filter(e => e.getClientRects().length && !e.closest('[aria-hidden=true]') && !name(e)).map(e => e.outerHTML.slice(0, 200));
"#;

/// Text with less contrast than 4.5 to 1 (3 to 1 if it is large), as WCAG counts it.
const FAINT: &str = r#"
    const parse = c => { const m = c.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return c.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
    const light = ([r, g, b]) => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
    const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.95) return c; } return [255, 255, 255, 1]; };
    const bad = [];
    for (const e of document.querySelectorAll('body *')) {
        if (e.closest('svg, [hidden], :disabled, .skip, #said') || !e.getClientRects().length) continue;
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
        const style = getComputedStyle(e);
        const [a, b] = [light(parse(style.color)), light(ground(e))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) bad.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className}: ${e.textContent.slice(0, 40)}`);
    }
    return bad;
"#;

/// One heading of the first order, headings in order, a language, a title, landmarks.
const STRUCTURE: &str = r#"
    const wrong = [];
    const all = [...document.querySelectorAll('h1, h2, h3')].filter(h => h.getClientRects().length);
    if (all.filter(h => h.tagName === 'H1').length !== 1) wrong.push('h1');
    if (!document.documentElement.lang || !document.title) wrong.push('lang or title');
    if (document.querySelectorAll('main').length !== 1 || !document.querySelector('header')) wrong.push('landmarks');
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    if (new Set(ids).size !== ids.length) wrong.push('ids');
    for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) wrong.push('order of focus');
    return wrong;
"#;

/// Looks at every kind of page, in light and dark.
pub fn everywhere(driver: &Driver, base: &str) {
    for scheme in ["light", "dark"] {
        driver.prefer(&[("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")]);
        for path in [
            "/",
            "/g/connect4-4x4?m=1+2",
            "/g/checkers-4",
            "/g/breakthrough-4x3?m=b1b2",
            "/g/nim",
            "/g/othello-4x4/stats",
            "/g/othello-4x4/proof",
            "/solve",
        ] {
            driver.open(&format!("{base}{path}"));
            driver.until(crate::READY);
            for (what, script) in
                [("without a name", NAMELESS), ("too faint", FAINT), ("structure", STRUCTURE)]
            {
                assert_eq!(driver.run(script), json!([]), "{scheme} {path}: {what}");
            }
        }
    }
    driver.prefer(&[]);
}
