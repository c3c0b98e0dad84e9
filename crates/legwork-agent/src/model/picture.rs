//! How large a picture is, from its first bytes. Decodes nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use legwork_protocol::Image;

/// A picture of nothing, for vendors that want one where there is none: one white pixel.
pub(crate) const NONE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

/// Width and height in pixels of a PNG or JPEG.
pub(crate) fn size(image: &Image) -> Option<(u32, u32)> {
    match image.media_type.as_str() {
        "image/png" => png(&head(image, 32)?),
        "image/jpeg" => jpeg(&head(image, image.data.len())?),
        _ => None,
    }
}

/// The first bytes, as many as so many letters of Base64 hold.
fn head(image: &Image, letters: usize) -> Option<Vec<u8>> {
    let letters = letters.min(image.data.len()) / 4 * 4;
    STANDARD.decode(image.data.get(..letters)?).ok()
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    (bytes.get(12..16)? == b"IHDR").then_some((number(16)?, number(20)?))
}

/// The size is in the first segment that begins a frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let mut at = 2;
    loop {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        let length = usize::from(number(at + 2)?);
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            return Some((number(at + 7)?.into(), number(at + 5)?.into()));
        }
        at += 2 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(media_type: &str, bytes: &[u8]) -> Image {
        Image::new(media_type, STANDARD.encode(bytes))
    }

    #[test]
    fn the_size_of_a_picture_is_in_its_first_bytes() {
        let data = NONE.strip_prefix("data:image/png;base64,").unwrap();
        let none = Image::new("image/png", data);
        assert_eq!(size(&none), Some((1, 1)));
        let jpeg = [
            0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 11, 8, 1, 0x2c,
            2, 0x58, 3,
        ];
        assert_eq!(size(&image("image/jpeg", &jpeg)), Some((600, 300)));
        assert_eq!(size(&image("image/jpeg", &jpeg[..12])), None);
        assert_eq!(size(&image("image/png", b"no picture at all, but long enough")), None);
        assert_eq!(size(&image("image/webp", &jpeg)), None);
    }
}
