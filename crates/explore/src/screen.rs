//! Playing on a real screen.

use crate::error::ExploreError;
use crate::picture::wrapped;
use crate::play::{Play, Reply};
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::execute;
use ratatui::layout::{Constraint, Layout, Position as Place, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use ratatui::{DefaultTerminal, Frame};
use winset_model::{Outcome, visible, visible_lines};

/// What is typed, chosen and said besides the game itself.
#[derive(Default)]
struct Dialogue {
    typed: String,
    said: String,
    /// The number of the chosen move.
    chosen: usize,
    /// Where the list of moves was drawn, and the number of the move in its first line.
    list: Rect,
    first: usize,
    /// Columns of the list, and how wide each is.
    columns: usize,
    wide: usize,
    /// The first line of the board that is seen, where not all of it is.
    scrolled: usize,
    colour: bool,
}

/// Plays on the terminal until the player quits. The terminal is put back as it was whatever happens.
pub fn run(play: &mut Play<'_>) -> Result<(), ExploreError> {
    let mut terminal = ratatui::try_init()?;
    // A terminal without a mouse is as good.
    let _ = execute!(terminal.backend_mut(), EnableMouseCapture);
    let played = run_on(&mut terminal, play);
    let _ = execute!(terminal.backend_mut(), DisableMouseCapture);
    let restored = ratatui::try_restore();
    played?;
    Ok(restored?)
}

fn run_on(terminal: &mut DefaultTerminal, play: &mut Play<'_>) -> Result<(), ExploreError> {
    let said =
        play.warning().unwrap_or("type a move, or choose one with the arrow keys and Enter; help").to_owned();
    // https://no-color.org: set and not empty.
    let colour = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let mut dialogue = Dialogue { said, colour, ..Dialogue::default() };
    loop {
        terminal.draw(|frame| draw(frame, play, &mut dialogue))?;
        let said = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match press(play, &mut dialogue, key)? {
                Some(Reply::Quit) => return Ok(()),
                Some(Reply::Said(said)) => Some(said),
                None => None,
            },
            Event::Mouse(mouse) => point(play, &mut dialogue, mouse)?,
            _ => None,
        };
        if let Some(said) = said {
            dialogue.said = if said.is_empty() && play.is_over() { play.status() } else { said };
            dialogue.chosen = 0;
        }
    }
}

/// A key: types, chooses, or does what was typed or chosen.
fn press(play: &mut Play<'_>, dialogue: &mut Dialogue, key: KeyEvent) -> Result<Option<Reply>, ExploreError> {
    let last = play.choices().len().saturating_sub(1);
    let (line, chosen) = (dialogue.columns.max(1), dialogue.chosen);
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            return Ok(Some(Reply::Quit));
        }
        KeyCode::Esc => dialogue.typed.clear(),
        KeyCode::Backspace => drop(dialogue.typed.pop()),
        KeyCode::Char(c) => dialogue.typed.push(c),
        KeyCode::Left => dialogue.chosen = chosen.saturating_sub(1),
        KeyCode::Right | KeyCode::Tab => dialogue.chosen = (chosen + 1).min(last),
        KeyCode::Up => dialogue.chosen = chosen.saturating_sub(line),
        KeyCode::Down => dialogue.chosen = (chosen + line).min(last),
        KeyCode::PageUp => dialogue.scrolled = dialogue.scrolled.saturating_sub(4),
        KeyCode::PageDown => dialogue.scrolled += 4,
        KeyCode::Enter if dialogue.typed.trim().is_empty() => {
            return Ok(Some(Reply::Said(play.choose(chosen)?)));
        }
        KeyCode::Enter => return Ok(Some(play.input(&std::mem::take(&mut dialogue.typed))?)),
        _ => {}
    }
    Ok(None)
}

/// The mouse: a click on a move makes it, the wheel goes through them.
fn point(
    play: &mut Play<'_>,
    dialogue: &mut Dialogue,
    mouse: MouseEvent,
) -> Result<Option<String>, ExploreError> {
    let count = play.choices().len();
    match mouse.kind {
        MouseEventKind::ScrollUp => dialogue.chosen = dialogue.chosen.saturating_sub(1),
        MouseEventKind::ScrollDown => dialogue.chosen = (dialogue.chosen + 1).min(count.saturating_sub(1)),
        MouseEventKind::Down(MouseButton::Left)
            if dialogue.list.contains(Place::new(mouse.column, mouse.row)) =>
        {
            let row = usize::from(mouse.row - dialogue.list.y);
            let column = usize::from(mouse.column - dialogue.list.x) / dialogue.wide.max(1);
            let number = dialogue.first + row * dialogue.columns.max(1) + column;
            if column < dialogue.columns.max(1) && number < count {
                return Ok(Some(play.choose(number)?));
            }
        }
        _ => {}
    }
    Ok(None)
}

fn draw(frame: &mut Frame<'_>, play: &Play<'_>, dialogue: &mut Dialogue) {
    let area = frame.area();
    let inner = usize::from(area.width.saturating_sub(2));
    let said = wrapped(&visible_lines(&dialogue.said), inner);
    // What is said takes the lines that it needs, up to a third of the screen.
    let speech = (said.len() as u16).clamp(1, (area.height / 3).max(1));
    let [main, below, typed] =
        Layout::vertical([Constraint::Min(3), Constraint::Length(speech), Constraint::Length(1)]).areas(area);
    let title = format!(" {} ", visible(&play.game().title()));
    // The board first: it has what it needs, and the moves what is left, beside it or below.
    let picture = board_lines(play, usize::from(main.width.saturating_sub(2)));
    let needed = picture.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(title.chars().count())
        as u16
        + 2;
    let beside = needed + 24 <= main.width;
    let areas = match beside {
        true => Layout::horizontal([Constraint::Length(needed.max(main.width / 3)), Constraint::Min(20)])
            .split(main),
        false => {
            let height = (picture.len() as u16 + 2).min(main.height.saturating_sub(4)).max(3);
            Layout::vertical([Constraint::Length(height), Constraint::Min(1)]).split(main)
        }
    };
    let (board, rest) = (areas[0], areas[1]);
    let picture = board_lines(play, usize::from(board.width.saturating_sub(2)));
    let seen = usize::from(board.height.saturating_sub(2));
    dialogue.scrolled = dialogue.scrolled.min(picture.len().saturating_sub(seen));
    let more = picture.len() > seen;
    let shown: Vec<Line<'_>> =
        picture.iter().skip(dialogue.scrolled).map(|line| coloured(play, line, dialogue.colour)).collect();
    let title = if more { format!("{title}(PageUp, PageDown) ") } else { title };
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(title)), board);
    let history = history_lines(play, usize::from(rest.width.saturating_sub(2)), beside);
    let tall = if history.is_empty() || rest.height < 8 { 0 } else { history.len() as u16 + 2 };
    let [moves, played] = Layout::vertical([Constraint::Min(3), Constraint::Length(tall)]).areas(rest);
    draw_moves(frame, moves, play, dialogue);
    if tall > 0 {
        let history: Vec<Line<'_>> = history.into_iter().map(Line::from).collect();
        frame.render_widget(Paragraph::new(history).block(Block::bordered().title(" played ")), played);
    }
    let said: Vec<Line<'_>> = said.into_iter().map(|line| Line::from(format!(" {line}"))).collect();
    frame.render_widget(Paragraph::new(said), below);
    let prompt = format!(" > {}", visible(&dialogue.typed));
    let from = prompt.chars().count().saturating_sub(usize::from(typed.width.saturating_sub(1)));
    frame.render_widget(Paragraph::new(prompt.chars().skip(from).collect::<String>()), typed);
    let cursor = (prompt.chars().count() - from) as u16;
    frame.set_cursor_position((typed.x + cursor.min(typed.width.saturating_sub(1)), typed.y));
}

/// The board, whose turn it is, and at the end what to do next.
fn board_lines(play: &Play<'_>, width: usize) -> Vec<String> {
    let mut lines = play.picture(width);
    lines.push(String::new());
    lines.extend(wrapped(&visible_lines(&play.status()), width.max(8)));
    if play.is_over() {
        lines.extend(wrapped(play.next_steps(), width.max(8)));
    }
    lines
}

/// The players' marks in their colours: a letter alone is a piece if it stands for the first or second player.
fn coloured(play: &Play<'_>, line: &str, colour: bool) -> Line<'static> {
    let pieces = play.marks();
    let is_row = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if !colour || !is_row {
        return Line::from(line.to_owned());
    }
    let style = |c: char| match pieces.iter().position(|mark| mark.eq_ignore_ascii_case(&c)) {
        Some(0) => Style::new().fg(Color::Rgb(86, 180, 233)).add_modifier(Modifier::BOLD),
        Some(1) => Style::new().fg(Color::Rgb(230, 159, 0)).add_modifier(Modifier::BOLD),
        _ if c == '.' => Style::new().fg(Color::DarkGray),
        _ => Style::new(),
    };
    Line::from(line.chars().map(|c| Span::styled(c.to_string(), style(c))).collect::<Vec<_>>())
}

/// The last moves that there is room for, numbered.
fn history_lines(play: &Play<'_>, width: usize, room: bool) -> Vec<String> {
    let played = play.moves_played();
    if played.is_empty() || width < 8 {
        return vec![];
    }
    let numbered: Vec<String> =
        played.iter().enumerate().map(|(n, name)| format!("{}.\u{a0}{}", n + 1, visible(name))).collect();
    let lines = wrapped(&numbered.join(" "), width);
    let most = if room { 4 } else { 1 };
    lines[lines.len().saturating_sub(most)..].to_vec()
}

/// The moves: in columns, or with hints one below the other with what each is worth; the chosen one is marked.
fn draw_moves(frame: &mut Frame<'_>, area: Rect, play: &Play<'_>, dialogue: &mut Dialogue) {
    let names = play.list(play.hints);
    let count = if play.is_over() { 0 } else { names.len() };
    let block =
        Block::bordered().title(if count == 0 { " moves ".to_owned() } else { format!(" moves: {count} ") });
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    if count == 0 || width == 0 || height == 0 {
        dialogue.list = Rect::default();
        return;
    }
    dialogue.chosen = dialogue.chosen.min(count - 1);
    let longest = names.iter().map(|name| visible(name).chars().count()).max().unwrap_or(1) + 2;
    dialogue.columns = if play.hints { 1 } else { (width / longest).max(1) };
    dialogue.wide = if dialogue.columns == 1 { width } else { longest };
    // As many lines as make the chosen one seen.
    let line = dialogue.chosen / dialogue.columns;
    let top = (dialogue.first / dialogue.columns).min(line).max((line + 1).saturating_sub(height));
    (dialogue.first, dialogue.list) = (top * dialogue.columns, inner);
    let glyphs = glyphs(play);
    let mut lines = vec![];
    for row in names
        .iter()
        .enumerate()
        .skip(dialogue.first)
        .take(height * dialogue.columns)
        .collect::<Vec<_>>()
        .chunks(dialogue.columns)
    {
        let mut spans = vec![];
        for &(number, name) in row {
            let chosen = if number == dialogue.chosen { Modifier::REVERSED } else { Modifier::empty() };
            if let Some(&(glyph, colour)) = glyphs.get(number).filter(|_| play.hints) {
                let style = if dialogue.colour { Style::new().fg(colour) } else { Style::new() };
                spans.push(Span::styled(format!("{glyph} "), style.add_modifier(Modifier::BOLD)));
            }
            let text = visible(name).into_owned();
            let gap = if dialogue.columns > 1 { longest - text.chars().count() } else { 0 };
            spans.push(Span::styled(text, Style::new().add_modifier(chosen)));
            spans.push(Span::raw(" ".repeat(gap)));
        }
        lines.push(Line::from(spans));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Each move's value: blue for a win, orange for a loss, with a sign for those who see neither.
fn glyphs(play: &Play<'_>) -> Vec<(&'static str, Color)> {
    let position = play.position();
    let of = |lookup: crate::Lookup| {
        let seen = lookup.valuation().zip(position.mover);
        match seen.and_then(|(v, player)| v.outcome(player, play.every_play_ends())) {
            Some(Outcome::Win) => ("W", Color::Blue),
            Some(Outcome::Loss) => ("L", Color::Rgb(230, 159, 0)),
            Some(Outcome::Tie) => ("=", Color::Gray),
            Some(Outcome::Draw) => ("\u{221e}", Color::Gray),
            None => ("?", Color::DarkGray),
        }
    };
    position.moves.iter().map(|m| of(m.lookup)).collect()
}
