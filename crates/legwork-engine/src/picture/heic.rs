//! HEIC, the photos of iPhones: known by its first bytes, and decoded where the feature `heic` is on.

use image::DynamicImage;

use super::PictureError;

/// What can be said of a file in the container that HEIC and AVIF share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heic,
    Avif,
}

/// Which of the two it is, by the brands in its first box.
pub(super) fn kind(bytes: &[u8]) -> Option<Kind> {
    let length = u32::from_be_bytes(*bytes.first_chunk()?) as usize;
    let first = bytes.get(..length.min(256))?;
    if first.get(4..8)? != b"ftyp" {
        return None;
    }
    let mut brands = first.get(8..)?.chunks_exact(4);
    brands.find_map(|brand| match brand {
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" => Some(Kind::Heic),
        b"avif" | b"avis" => Some(Kind::Avif),
        _ => None,
    })
}

/// Decodes a picture, turned the way the camera was held.
#[cfg(feature = "heic")]
pub(super) fn decode(bytes: &[u8]) -> Result<DynamicImage, PictureError> {
    /// A decoded pixel takes up to twelve bytes, and then four more.
    const MOST_PIXELS: u64 = 64_000_000;
    let unreadable = |error: heic_decoder::HeifError| match error {
        heic_decoder::HeifError::Truncated { .. } => PictureError::Truncated,
        other => PictureError::Heic(other.to_string()),
    };
    let about = heic_decoder::probe(bytes).map_err(unreadable)?;
    if about.coded_width as u64 * about.coded_height as u64 > MOST_PIXELS {
        let (width, height) = (about.width as u32, about.height as u32);
        return Err(PictureError::TooLarge { width, height });
    }
    let decoded = heic_decoder::decode(bytes).map_err(unreadable)?;
    let transparent = decoded.alpha.is_some();
    let pixels = decoded.to_rgba8().map_err(unreadable)?;
    let (width, height) = (pixels.width as u32, pixels.height as u32);
    let pixels = image::RgbaImage::from_raw(width, height, pixels.data)
        .ok_or_else(|| PictureError::Heic("its size is not that of its pixels".to_owned()))?;
    let picture = DynamicImage::ImageRgba8(pixels);
    Ok(if transparent { picture } else { DynamicImage::ImageRgb8(picture.into_rgb8()) })
}

/// Says what the file is, since this build cannot read it.
#[cfg(not(feature = "heic"))]
pub(super) fn decode(_: &[u8]) -> Result<DynamicImage, PictureError> {
    Err(PictureError::Heic("this build of Legwork is without the feature `heic`".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_brands() {
        let quarters = include_bytes!("../../tests/pictures/quarters.heic");
        for (bytes, expected) in [
            (&quarters[..], Some(Kind::Heic)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", Some(Kind::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heix", Some(Kind::Heic)),
            (b"\0\0\0\x14ftypisom\0\0\0\0mp42", None),
            (b"\0\0\0\x18ftypmif1", None),
            (b"\xff\xff\xff\xffftypheic", None),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
            (b"", None),
        ] {
            assert_eq!(kind(bytes), expected, "{:?}", &bytes[..bytes.len().min(24)]);
        }
    }
}
