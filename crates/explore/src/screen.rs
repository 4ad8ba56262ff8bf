//! Playing on a real screen.

use crate::error::ExploreError;
use crate::play::{Play, Reply};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};
use ratatui::{DefaultTerminal, Frame};
use winset_model::{Outcome, visible, visible_lines};

/// What is typed and said besides the game itself.
#[derive(Default)]
struct Dialogue {
    typed: String,
    said: String,
}

/// Plays on the terminal until the player quits. The terminal is put back as it was whatever happens.
pub fn run(play: &mut Play<'_>) -> Result<(), ExploreError> {
    let mut terminal = ratatui::try_init()?;
    let played = run_on(&mut terminal, play);
    let restored = ratatui::try_restore();
    played?;
    Ok(restored?)
}

fn run_on(terminal: &mut DefaultTerminal, play: &mut Play<'_>) -> Result<(), ExploreError> {
    let said = play.warning().unwrap_or("type a move, or help").to_owned();
    let mut dialogue = Dialogue { said, ..Dialogue::default() };
    loop {
        terminal.draw(|frame| draw(frame, play, &dialogue))?;
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if control => return Ok(()),
            KeyCode::Esc => dialogue.typed.clear(),
            KeyCode::Backspace => drop(dialogue.typed.pop()),
            KeyCode::Char(c) => dialogue.typed.push(c),
            KeyCode::Enter => match play.input(&std::mem::take(&mut dialogue.typed))? {
                Reply::Quit => return Ok(()),
                Reply::Said(said) => dialogue.said = said,
            },
            _ => {}
        }
    }
}

fn draw(frame: &mut Frame<'_>, play: &Play<'_>, dialogue: &Dialogue) {
    let game = play.game();
    let [main, said, typed] =
        Layout::vertical([Constraint::Min(6), Constraint::Length(6), Constraint::Length(3)])
            .areas(frame.area());
    let [board, moves, played] = Layout::horizontal([
        Constraint::Percentage(45),
        Constraint::Percentage(35),
        Constraint::Percentage(20),
    ])
    .areas(main);
    let title = format!(" {} ", visible(&game.title()));
    let picture = format!("{}\n{}", game.draw(&play.position().state), play.status());
    frame.render_widget(Paragraph::new(visible_lines(&picture)).block(Block::bordered().title(title)), board);
    let list: Vec<Line<'_>> = if play.is_over() { vec![] } else { move_lines(play) };
    let list = Paragraph::new(list).wrap(Wrap { trim: false });
    frame.render_widget(list.block(Block::bordered().title(" moves ")), moves);
    let played_so_far = play.moves_played().join(" ");
    let history = Paragraph::new(visible(&played_so_far)).wrap(Wrap { trim: true });
    frame.render_widget(history.block(Block::bordered().title(" played ")), played);
    let speech = Paragraph::new(visible_lines(&dialogue.said)).wrap(Wrap { trim: false });
    frame.render_widget(speech.block(Block::bordered()), said);
    let prompt = format!("> {}", visible(&dialogue.typed));
    frame.render_widget(Paragraph::new(prompt).block(Block::bordered()), typed);
}

/// With hints, each move in the colour of its value: blue for a win, orange for a loss, with a sign for
/// those who see neither.
fn move_lines(play: &Play<'_>) -> Vec<Line<'static>> {
    if !play.hints {
        return vec![Line::from(visible(&play.list(false).join(" ")).into_owned())];
    }
    let position = play.position();
    let lines = position.moves.iter().zip(play.list(true));
    lines
        .map(|(m, text)| {
            let seen = m.lookup.valuation().zip(position.mover);
            let (glyph, colour) = match seen.and_then(|(v, player)| v.outcome(player, play.every_play_ends()))
            {
                Some(Outcome::Win) => ("W", Color::Blue),
                Some(Outcome::Loss) => ("L", Color::Rgb(230, 159, 0)),
                Some(Outcome::Tie) => ("=", Color::Gray),
                Some(Outcome::Draw) => ("\u{221e}", Color::Gray),
                None => ("?", Color::DarkGray),
            };
            let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
            Line::from(vec![Span::styled(format!("{glyph} "), style), Span::raw(visible(&text).into_owned())])
        })
        .collect()
}
