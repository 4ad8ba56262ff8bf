//! Pictures of pixels, and PNG: everything is drawn large and made smaller, so that no edge is jagged.

use crate::letters;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use std::convert::Infallible;

/// Pixels of the picture for each unit that is drawn with: screens are fine today.
const DENSITY: u32 = 2;
/// Pixels that are drawn for each pixel of the picture, in each direction.
const FINE: u32 = 2;
const SCALE: f64 = (DENSITY * FINE) as f64;

/// The height of capitals in a font of size 1.
const CAPITAL: f64 = 0.70;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;
type Point = (f64, f64);

/// A picture that is being drawn.
pub(crate) struct Bitmap {
    size: (u32, u32),
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Bitmap {
    /// White, of n units across and down.
    pub fn new(size: (u32, u32)) -> Self {
        let (width, height) = ((size.0 * DENSITY * FINE) as usize, (size.1 * DENSITY * FINE) as usize);
        Bitmap { size, width, height, pixels: vec![[255; 3]; width * height] }
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let fine = FINE as usize;
        let (width, height) = (self.width / fine, self.height / fine);
        let mut rows = Vec::with_capacity(height * (3 * width + 1));
        let mut above = vec![0u8; 3 * width];
        for y in 0..height {
            let mut row = Vec::with_capacity(3 * width);
            for x in 0..width {
                let mut sums = [0u32; 3];
                for (dy, dx) in (0..fine * fine).map(|i| (i / fine, i % fine)) {
                    let pixel = self.pixels[(y * fine + dy) * self.width + x * fine + dx];
                    sums.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(part));
                }
                row.extend(sums.map(|sum| (sum / (FINE * FINE)) as u8));
            }
            // Rows are told by how they differ from the one above, which is mostly not at all.
            rows.push(2);
            rows.extend(row.iter().zip(&above).map(|(byte, above)| byte.wrapping_sub(*above)));
            above = row;
        }
        let mut head = vec![];
        head.extend((width as u32).to_be_bytes());
        head.extend((height as u32).to_be_bytes());
        // Eight bits each of red, green and blue.
        head.extend([8, 2, 0, 0, 0]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut file, b"IHDR", &head);
        // Pixels for a metre: twice what a sheet of 96 to the inch has.
        let dense = (f64::from(DENSITY) * 96.0 / 0.0254) as u32;
        chunk(&mut file, b"pHYs", &[&dense.to_be_bytes()[..], &dense.to_be_bytes()[..], &[1]].concat());
        chunk(&mut file, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, 7));
        chunk(&mut file, b"IEND", &[]);
        file
    }

    fn blend(&mut self, x: i64, y: i64, colour: BackendColor) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        let (red, green, blue) = colour.rgb;
        for (part, new) in pixel.iter_mut().zip([red, green, blue]) {
            *part = (f64::from(*part) * (1.0 - colour.alpha) + f64::from(new) * colour.alpha).round() as u8;
        }
    }

    /// Every pixel of a box that a condition holds for.
    fn fill(&mut self, [low, high]: [Point; 2], colour: BackendColor, inside: impl Fn(Point) -> bool) {
        let (left, right) = (low.0.floor().max(0.0) as i64, high.0.ceil().min(self.width as f64) as i64);
        let (top, bottom) = (low.1.floor().max(0.0) as i64, high.1.ceil().min(self.height as f64) as i64);
        for y in top..bottom {
            for x in left..right {
                if inside((x as f64 + 0.5, y as f64 + 0.5)) {
                    self.blend(x, y, colour);
                }
            }
        }
    }

    /// A line with round ends, in fine pixels.
    fn stroke(&mut self, a: Point, b: Point, width: f64, colour: BackendColor) {
        let half = width / 2.0;
        let low = (a.0.min(b.0) - half, a.1.min(b.1) - half);
        let high = (a.0.max(b.0) + half, a.1.max(b.1) + half);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx * dx + dy * dy;
        self.fill([low, high], colour, |(x, y)| {
            let along = ((x - a.0) * dx + (y - a.1) * dy) / length.max(1e-9);
            let along = along.clamp(0.0, 1.0);
            let (u, v) = (x - a.0 - along * dx, y - a.1 - along * dy);
            u * u + v * v <= half * half
        });
    }
}

/// The middle of a unit's pixel, in fine pixels.
fn fine(at: BackendCoord) -> Point {
    ((f64::from(at.0) + 0.5) * SCALE, (f64::from(at.1) + 0.5) * SCALE)
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let from = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = checksum(&file[from..]);
    file.extend(sum.to_be_bytes());
}

/// The CRC-32 that PNG asks for.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

impl DrawingBackend for &mut Bitmap {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        let (x, y) = (f64::from(point.0) * SCALE, f64::from(point.1) * SCALE);
        self.fill([(x, y), (x + SCALE, y + SCALE)], colour, |_| true);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.stroke(fine(from), fine(to), f64::from(style.stroke_width()) * SCALE, style.color());
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (a, b) = (upper_left, bottom_right);
        if fill {
            // From the middle of a pixel to the middle of a pixel, as lines are, so that bars stand on the axis.
            self.fill([fine(a), fine(b)], style.color(), |_| true);
            return Ok(());
        }
        let corners = [a, (b.0, a.1), b, (a.0, b.1), a];
        corners.windows(2).try_for_each(|pair| self.draw_line(pair[0], pair[1], style))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        points.windows(2).try_for_each(|pair| self.draw_line(pair[0], pair[1], style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let ((x, y), radius) = (fine(center), f64::from(radius) * SCALE);
        let half = f64::from(style.stroke_width()) * SCALE / 2.0;
        let reach = if fill { radius } else { radius + half };
        self.fill([(x - reach, y - reach), (x + reach, y + reach)], style.color(), |(u, v)| {
            let distance = ((u - x).powi(2) + (v - y).powi(2)).sqrt();
            if fill { distance <= radius } else { (distance - radius).abs() <= half }
        });
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let corners: Vec<Point> = corners.into_iter().map(fine).collect();
        let low = corners.iter().fold((f64::MAX, f64::MAX), |m, p| (m.0.min(p.0), m.1.min(p.1)));
        let high = corners.iter().fold((f64::MIN, f64::MIN), |m, p| (m.0.max(p.0), m.1.max(p.1)));
        self.fill([low, high], style.color(), |(x, y)| {
            let next = corners.iter().cycle().skip(1);
            let crossed = corners
                .iter()
                .zip(next)
                .filter(|(a, b)| (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0));
            crossed.count() % 2 == 1
        });
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let size = style.size();
        let unit = CAPITAL * size / letters::CAPITAL;
        let width = letters::width(text) * unit;
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let top = match anchor.v_pos {
            VPos::Top => 0.1 * size,
            VPos::Center => -CAPITAL * size / 2.0,
            VPos::Bottom => -0.1 * size - CAPITAL * size,
        };
        let thick = if matches!(style.style(), FontStyle::Bold) { 0.13 } else { 0.085 } * size * SCALE;
        let (x, y) = fine(at);
        let place = |(u, v): Point| {
            // Turned in thousandths, because who turns it counts in whole numbers.
            let (u, v) = ((left + u * unit) * 1000.0, (top + v * unit) * 1000.0);
            let (u, v) = style.transform().transform(u.round() as i32, v.round() as i32);
            (x + f64::from(u) / 1000.0 * SCALE, y + f64::from(v) / 1000.0 * SCALE)
        };
        for stroke in letters::strokes(text) {
            for pair in stroke.windows(2) {
                // A point is drawn a little larger than a line is thick.
                let thick = if stroke.len() == 2 && pair[0] == pair[1] { 1.35 * thick } else { thick };
                self.stroke(place(pair[0]), place(pair[1]), thick, style.color());
            }
        }
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let unit = CAPITAL * style.size() / letters::CAPITAL;
        Ok(((letters::width(text) * unit).ceil() as u32, style.size().ceil() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_png() {
        // The checksum of the last chunk, the same in every file.
        assert_eq!(checksum(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_file_has_its_size_and_what_was_drawn() {
        let mut bitmap = Bitmap::new((40, 30));
        let style = BackendColor { rgb: (10, 20, 30), alpha: 1.0 };
        (&mut bitmap).draw_rect((10, 10), (20, 20), &style, true).unwrap();
        let png = bitmap.png();
        assert_eq!(&png[16..24], [0, 0, 0, 80, 0, 0, 0, 60]);
        let data = png.windows(4).position(|w| w == b"IDAT").unwrap();
        let length = u32::from_be_bytes(png[data - 4..data].try_into().unwrap()) as usize;
        let rows = miniz_oxide::inflate::decompress_to_vec_zlib(&png[data + 4..data + 4 + length]).unwrap();
        assert_eq!(rows.len(), 60 * (3 * 80 + 1));
        let mut above = [0u8; 240];
        let mut dark = 0;
        for row in rows.chunks(241) {
            assert_eq!(row[0], 2);
            for (byte, above) in row[1..].iter().zip(&mut above) {
                *above = above.wrapping_add(*byte);
            }
            dark += above.chunks(3).filter(|pixel| *pixel == [10, 20, 30]).count();
        }
        assert_eq!(dark, 20 * 20, "ten units across and down, two pixels each");
    }
}
