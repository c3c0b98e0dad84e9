//! Pictures made to fit: decode, scale down, encode. Pure, and blocking: a large picture takes
//! tens of milliseconds, so callers hand it to a blocking thread.

mod heic;

use std::borrow::Cow;
use std::io::{Cursor, ErrorKind};

use fast_image_resize::images::Image;
use fast_image_resize::{PixelType, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader};

/// No picture of more pixels than this is decoded: it would take gigabytes of memory.
const MOST_PIXELS: u64 = 150_000_000;

/// The format of a picture that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
}

impl Format {
    /// Its media type, as in `image/png`.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Png => "image/png",
            Format::Jpeg => "image/jpeg",
            Format::Gif => "image/gif",
            Format::WebP => "image/webp",
        }
    }
}

/// The format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// That of the input where it can be written (PNG and JPEG), JPEG for an opaque HEIC, PNG otherwise.
    Same,
    /// PNG.
    Png,
    /// JPEG with a quality from 1 to 100.
    Jpeg(u8),
}

/// A picture that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture<'a> {
    /// The encoded picture: the input itself where nothing had to be done.
    pub bytes: Cow<'a, [u8]>,
    /// Its format.
    pub format: Format,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// How far it was scaled down: 1 for not at all, 0.5 for half the width and height.
    pub scale: f64,
}

/// What a picture's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The format.
    pub format: Format,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// Why a picture could not be made to fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The bytes are no picture in a format that can be read.
    #[error("This is not a PNG, JPEG, GIF or WebP picture.")]
    NotAPicture,
    /// The picture is in HEIC, and cannot be read.
    #[error("This is a HEIC picture, which cannot be read here: {0}.")]
    Heic(String),
    /// The picture is in AVIF.
    #[error("This is an AVIF picture, which cannot be read here.")]
    Avif,
    /// The picture ends too early. (A JPEG without its end is shown as far as it goes, as browsers
    /// do.)
    #[error("The picture is cut off: its data ends too early.")]
    Truncated,
    /// The picture has more pixels than may be decoded.
    #[error("The picture has {width} x {height} pixels, more than can be scaled down.")]
    TooLarge {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// The picture is damaged.
    #[error("The picture is damaged: {0}")]
    Damaged(#[source] ImageError),
    /// The picture could not be written.
    #[error("The picture could not be written: {0}")]
    NotWritten(#[source] ImageError),
}

/// Makes a picture fit: no side is longer than `max_side`, the proportions stay. One that fits and
/// has the right format is handed back as it is; only its header is read.
pub fn fit(bytes: &[u8], output: Output, max_side: u32) -> Result<Picture<'_>, PictureError> {
    match heic::kind(bytes) {
        Some(heic::Kind::Heic) => return converted(heic::decode(bytes)?, output, max_side),
        Some(heic::Kind::Avif) => return Err(PictureError::Avif),
        None => {}
    }
    let Header { format, width, height } = header(bytes)?;
    let fits = width.max(height) <= max_side.max(1);
    let wanted = match output {
        Output::Same => None,
        Output::Png => Some(Format::Png),
        Output::Jpeg(_) => Some(Format::Jpeg),
    };
    if fits && wanted.is_none_or(|wanted| wanted == format) {
        let bytes = Cow::Borrowed(bytes);
        return Ok(Picture { bytes, format, width, height, scale: 1.0 });
    }
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(PictureError::TooLarge { width, height });
    }
    written(decode(bytes)?, output, format, max_side)
}

/// A photo in a format that nobody else reads, in one that everybody does.
fn converted(
    decoded: DynamicImage,
    output: Output,
    max_side: u32,
) -> Result<Picture<'static>, PictureError> {
    let like = if decoded.color().has_alpha() { Format::Png } else { Format::Jpeg };
    written(decoded, output, like, max_side)
}

/// Scales a picture down if need be, and encodes it.
fn written(
    decoded: DynamicImage,
    output: Output,
    like: Format,
    max_side: u32,
) -> Result<Picture<'static>, PictureError> {
    let longest = decoded.width().max(decoded.height()).max(1);
    let scale = f64::from(max_side.clamp(1, longest)) / f64::from(longest);
    let scaled = if scale < 1.0 { scale_down(&decoded, scale) } else { decoded };
    let (width, height) = (scaled.width(), scaled.height());
    let (bytes, format) = encode(scaled, output, like)?;
    Ok(Picture { bytes: bytes.into(), format, width, height, scale })
}

/// Reads a picture's format and size from its header, and nothing else of it.
pub fn header(bytes: &[u8]) -> Result<Header, PictureError> {
    let reader = reader(bytes)?;
    let format = match reader.format() {
        Some(ImageFormat::Png) => Format::Png,
        Some(ImageFormat::Jpeg) => Format::Jpeg,
        Some(ImageFormat::Gif) => Format::Gif,
        Some(ImageFormat::WebP) => Format::WebP,
        _ => return Err(PictureError::NotAPicture),
    };
    if format == Format::WebP && is_shorter_than_it_says(bytes) {
        return Err(PictureError::Truncated);
    }
    let (width, height) = reader.into_dimensions().map_err(unreadable)?;
    Ok(Header { format, width, height })
}

/// WebP states its length up front, and its decoder has no word for a sudden end.
fn is_shorter_than_it_says(bytes: &[u8]) -> bool {
    let length = bytes.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    length.is_none_or(|length| (bytes.len() as u64) < u64::from(length) + 8)
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, PictureError> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    reader.map_err(|_| PictureError::NotAPicture)
}

/// Decodes a picture, turned the way the camera says it was held.
fn decode(bytes: &[u8]) -> Result<DynamicImage, PictureError> {
    let mut decoder = reader(bytes)?.into_decoder().map_err(unreadable)?;
    let orientation = decoder.orientation();
    let mut image = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    if let Ok(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    Ok(image)
}

fn unreadable(error: ImageError) -> PictureError {
    match &error {
        ImageError::IoError(io) if io.kind() == ErrorKind::UnexpectedEof => PictureError::Truncated,
        ImageError::Unsupported(_) => PictureError::NotAPicture,
        // The decoders wrap a sudden end in errors of their own; only their words tell.
        other if ends_early(&other.to_string()) => PictureError::Truncated,
        _ => PictureError::Damaged(error),
    }
}

fn ends_early(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let signs = ["unexpected end", "unexpectedeof", "eof", "exhausted", "not enough bytes"];
    signs.iter().any(|sign| message.contains(sign))
}

fn scale_down(image: &DynamicImage, scale: f64) -> DynamicImage {
    let side = |side: u32| ((f64::from(side) * scale).round() as u32).max(1);
    let (width, height) = (side(image.width()), side(image.height()));
    let transparent = image.color().has_alpha();
    let pixels = image.to_rgba8();
    let (from_width, from_height) = pixels.dimensions();
    let source = Image::from_vec_u8(from_width, from_height, pixels.into_raw(), PixelType::U8x4)
        .expect("an RGBA image has four bytes a pixel");
    let mut target = Image::new(width, height, PixelType::U8x4);
    let options = ResizeOptions::new().use_alpha(transparent);
    Resizer::new()
        .resize(&source, &mut target, &options)
        .expect("both images have the same kind of pixels");
    let target = image::RgbaImage::from_raw(width, height, target.into_vec())
        .expect("the target was made with this size");
    let target = DynamicImage::ImageRgba8(target);
    if transparent { target } else { DynamicImage::ImageRgb8(target.into_rgb8()) }
}

fn encode(
    image: DynamicImage,
    output: Output,
    input: Format,
) -> Result<(Vec<u8>, Format), PictureError> {
    let quality = match (output, input) {
        (Output::Jpeg(quality), _) => Some(quality),
        (Output::Same, Format::Jpeg) => Some(85),
        _ => None,
    };
    let mut bytes = Vec::new();
    let (written, format) = match quality {
        Some(quality) => {
            let encoder = JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100));
            (on_white(image).write_with_encoder(encoder), Format::Jpeg)
        }
        None => {
            let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
            let encoder = PngEncoder::new_with_quality(&mut bytes, compression, filter);
            (image.write_with_encoder(encoder), Format::Png)
        }
    };
    written.map_err(PictureError::NotWritten)?;
    Ok((bytes, format))
}

/// JPEG knows no transparency: what shows through is white, as on a page.
fn on_white(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let pixels = image.into_rgba8();
    let (width, height) = pixels.dimensions();
    let flat = image::RgbImage::from_fn(width, height, |x, y| {
        let [red, green, blue, alpha] = pixels.get_pixel(x, y).0.map(u32::from);
        let over = |colour: u32| ((colour * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        image::Rgb([over(red), over(green), over(blue)])
    });
    DynamicImage::ImageRgb8(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with a gradient, so that encoders have something to do.
    fn sample(width: u32, height: u32) -> DynamicImage {
        let pixels = image::RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([(x % 256) as u8, (y % 256) as u8, ((x * y) % 251) as u8])
        });
        DynamicImage::ImageRgb8(pixels)
    }

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).expect("the sample can be written");
        bytes.into_inner()
    }

    const FORMATS: [(ImageFormat, Format, Format); 4] = [
        (ImageFormat::Png, Format::Png, Format::Png),
        (ImageFormat::Jpeg, Format::Jpeg, Format::Jpeg),
        (ImageFormat::Gif, Format::Gif, Format::Png),
        (ImageFormat::WebP, Format::WebP, Format::Png),
    ];

    #[test]
    fn a_picture_that_fits_is_handed_back_untouched() {
        for (format, read, _) in FORMATS {
            let bytes = encoded(&sample(60, 40), format);
            let picture = fit(&bytes, Output::Same, 60).expect("it fits");
            assert!(matches!(picture.bytes, Cow::Borrowed(_)));
            assert_eq!(picture.bytes, bytes);
            assert_eq!((picture.format, picture.width, picture.height), (read, 60, 40));
            assert_eq!(picture.scale, 1.0);
        }
    }

    #[test]
    fn a_picture_that_is_too_large_is_scaled_in_proportion() {
        for (format, _, written) in FORMATS {
            for (size, expected) in
                [((200, 100), (50, 25)), ((90, 300), (15, 50)), ((500, 1), (50, 1))]
            {
                let bytes = encoded(&sample(size.0, size.1), format);
                let picture = fit(&bytes, Output::Same, 50).expect("it can be scaled");
                assert_eq!((picture.width, picture.height), expected, "{format:?} {size:?}");
                assert_eq!(picture.format, written);
                assert_eq!(picture.scale, 50.0 / f64::from(size.0.max(size.1)));
                let read = header(&picture.bytes).expect("it is a picture again");
                assert_eq!(read, Header { format: written, width: expected.0, height: expected.1 });
            }
        }
    }

    #[test]
    fn a_picture_that_fits_is_converted_where_another_format_is_asked_for() {
        let webp = encoded(&sample(20, 10), ImageFormat::WebP);
        let picture = fit(&webp, Output::Png, 100).expect("it can be converted");
        assert_eq!((picture.format, picture.width, picture.scale), (Format::Png, 20, 1.0));
        let back = image::load_from_memory(&picture.bytes).expect("a PNG");
        assert_eq!(back.to_rgb8(), sample(20, 10).to_rgb8());
        let picture = fit(&webp, Output::Jpeg(90), 100).expect("it can be converted");
        assert_eq!(header(&picture.bytes).expect("a JPEG").format, Format::Jpeg);
    }

    #[test]
    fn scaling_keeps_colours_and_transparency() {
        let half = image::RgbaImage::from_pixel(100, 100, image::Rgba([200, 100, 50, 128]));
        let bytes = encoded(&DynamicImage::ImageRgba8(half), ImageFormat::Png);
        let picture = fit(&bytes, Output::Same, 10).expect("it can be scaled");
        let back = image::load_from_memory(&picture.bytes).expect("a PNG").to_rgba8();
        let near = |a: u8, b: u8| a.abs_diff(b) <= 1;
        let pixel = back.get_pixel(5, 5).0;
        assert!(pixel.iter().zip([200, 100, 50, 128]).all(|(a, b)| near(*a, b)), "{pixel:?}");
        let picture = fit(&bytes, Output::Jpeg(95), 10).expect("it can be scaled");
        let back = image::load_from_memory(&picture.bytes).expect("a JPEG").to_rgb8();
        let pixel = back.get_pixel(5, 5).0;
        assert!(pixel.iter().zip([227u8, 177, 152]).all(|(a, b)| a.abs_diff(b) <= 4), "{pixel:?}");
    }

    #[test]
    fn other_bytes_are_named_as_no_picture() {
        let bytes: [&[u8]; 4] =
            [b"", b"hello world, this is text", b"%PDF-1.7 ...", b"BM\x10\0\0\0"];
        for bytes in bytes {
            let error = fit(bytes, Output::Same, 100).expect_err("it is no picture");
            assert!(matches!(error, PictureError::NotAPicture), "{error}");
        }
    }

    #[test]
    fn a_picture_that_is_cut_off_is_named_as_that() {
        for (format, ..) in [FORMATS[0], FORMATS[2], FORMATS[3]] {
            let bytes = encoded(&sample(300, 200), format);
            for length in [bytes.len() / 2, bytes.len() / 4, 20] {
                let error = fit(&bytes[..length], Output::Same, 100);
                let error = error.expect_err("it is cut off");
                assert!(matches!(error, PictureError::Truncated), "{format:?} {length}: {error:?}");
            }
        }
        let jpeg = encoded(&sample(300, 200), ImageFormat::Jpeg);
        let error = fit(&jpeg[..20], Output::Same, 100).expect_err("it is cut off");
        assert!(matches!(error, PictureError::Truncated), "{error:?}");
    }

    #[test]
    fn a_header_that_claims_too_many_pixels_is_refused_before_decoding() {
        let mut bytes = encoded(&sample(2, 2), ImageFormat::Gif);
        bytes[6..10].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
        let error = fit(&bytes, Output::Same, 100).expect_err("it is too large");
        assert!(matches!(error, PictureError::TooLarge { width: 65535, .. }), "{error:?}");
    }

    #[test]
    fn a_photo_is_turned_the_way_it_was_held() {
        let mut bytes = encoded(&sample(80, 40), ImageFormat::Jpeg);
        // An EXIF block that says only: turned by 90 degrees.
        let exif = b"\xff\xe1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        bytes.splice(2..2, exif.iter().copied());
        let picture = fit(&bytes, Output::Same, 20).expect("it can be scaled");
        assert_eq!((picture.width, picture.height), (10, 20));
    }

    #[cfg(feature = "heic")]
    #[test]
    fn a_heic_becomes_a_jpeg_with_its_colours_or_a_png_with_its_glass() {
        let quarters = include_bytes!("../tests/pictures/quarters.heic");
        let picture = fit(quarters, Output::Same, 1000).expect("it can be converted");
        assert_eq!((picture.format, picture.width, picture.height), (Format::Jpeg, 96, 64));
        let back = image::load_from_memory(&picture.bytes).expect("a JPEG").to_rgb8();
        for ((x, y), expected) in
            [((10, 10), [200, 30, 30]), ((85, 10), [30, 160, 30]), ((10, 55), [30, 30, 200])]
        {
            let pixel = back.get_pixel(x, y).0;
            assert!(pixel.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 6), "{pixel:?}");
        }
        let small = fit(quarters, Output::Png, 48).expect("it can be scaled");
        assert_eq!((small.format, small.width, small.height), (Format::Png, 48, 32));
        let glass = include_bytes!("../tests/pictures/glass.heic");
        let picture = fit(glass, Output::Same, 1000).expect("it can be converted");
        let back = image::load_from_memory(&picture.bytes).expect("a PNG").to_rgba8();
        assert_eq!((back.get_pixel(10, 10).0[3], back.get_pixel(85, 10).0[3]), (0, 255));
    }

    #[test]
    fn a_heic_that_cannot_be_read_says_what_it_is() {
        let quarters = include_bytes!("../tests/pictures/quarters.heic");
        for end in [40, 200, quarters.len() - 100] {
            let told = fit(&quarters[..end], Output::Same, 100).expect_err("it is cut off");
            assert!(matches!(told, PictureError::Heic(_) | PictureError::Truncated), "{told}");
        }
        let avif = b"\0\0\0\x18ftypavif\0\0\0\0mif1avif";
        assert!(matches!(fit(avif, Output::Same, 100), Err(PictureError::Avif)));
    }
}
