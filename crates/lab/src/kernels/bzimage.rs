//! What an x86 kernel image says about itself, by the kernel's Documentation/arch/x86/boot.rst.

use super::version::Version;

/// Where the boot sector's number is: the field `boot_flag`.
const BOOT_FLAG: usize = 0x1fe;
/// Where the magic word is: the field `header`.
const MAGIC: usize = 0x202;
/// The field `setup_sects`: length of the real-mode code in sectors, less the boot sector.
const SETUP_SECTORS: usize = 0x1f1;
/// The field `syssize`: length of the protected-mode code in paragraphs of 16 bytes.
const PARAGRAPHS: usize = 0x1f4;
/// The field `kernel_version`: where the version is, less `0x200`.
const VERSION: usize = 0x20e;
/// Length of a sector.
const SECTOR: usize = 512;

/// The version in the image's header, or what is wrong with the image.
pub(crate) fn version(image: &[u8]) -> Result<Version, &'static str> {
    const NOT_ONE: &str = "expected a bzImage of x86, such as Debian's /boot/vmlinuz-*";
    if bytes(image, BOOT_FLAG) != Some([0x55, 0xaa]) || bytes(image, MAGIC) != Some(*b"HdrS") {
        return Err(NOT_ONE);
    }
    if image.len() < length(image).ok_or(NOT_ONE)? {
        return Err("expected more of it: it breaks off before the end that its header tells");
    }
    described_version(image).ok_or("expected a kernel version in its header")
}

/// How long the image is at least.
fn length(image: &[u8]) -> Option<usize> {
    // For historical reasons 0 means 4.
    let sectors = match *image.get(SETUP_SECTORS)? {
        0 => 4,
        sectors => usize::from(sectors),
    };
    let paragraphs = usize::try_from(u32::from_le_bytes(bytes(image, PARAGRAPHS)?)).ok()?;
    ((sectors + 1) * SECTOR).checked_add(paragraphs.checked_mul(16)?)
}

/// The version in a text like `6.1.0-57-cloud-amd64 (builder) #1 SMP ... Debian 6.1.192-3 (date)`: Debian's releases name
/// the ABI, and only the package's version that follows has the upstream one.
fn described_version(image: &[u8]) -> Option<Version> {
    let start = 0x200 + usize::from(u16::from_le_bytes(bytes(image, VERSION)?));
    let text = image.get(start..)?;
    let text = text.get(..text.iter().position(|&byte| byte == 0)?)?;
    let text = std::str::from_utf8(text).ok()?;
    text.split_once("Debian ")
        .and_then(|(_, debian)| Version::leading(debian))
        .or_else(|| Version::leading(text))
}

fn bytes<const N: usize>(image: &[u8], at: usize) -> Option<[u8; N]> {
    image.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An image of two sectors and one paragraph, whose version is `text`.
    fn image(text: &str) -> Vec<u8> {
        let mut image = vec![0; 2 * SECTOR + 16];
        image[SETUP_SECTORS] = 1;
        image[PARAGRAPHS] = 1;
        image[BOOT_FLAG..][..2].copy_from_slice(&[0x55, 0xaa]);
        image[MAGIC..][..4].copy_from_slice(b"HdrS");
        image[VERSION] = 0x80;
        image[0x280..][..text.len()].copy_from_slice(text.as_bytes());
        image
    }

    #[test]
    fn the_upstream_version_is_found() {
        let table = [
            (
                "6.1.0-57-cloud-amd64 (d@l.d.o) #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-3 (2026-11-26)",
                "6.1.192",
            ),
            ("6.8.0-51-generic (buildd@x) #52-Ubuntu SMP", "6.8.0"),
            ("7.1 (me@here) #1", "7.1.0"),
        ];
        for (text, expected) in table {
            assert_eq!(version(&image(text)).unwrap().to_string(), expected, "{text}");
        }
        assert!(version(&image("linux")).is_err());
    }

    #[test]
    fn an_image_that_breaks_off_is_none() {
        let whole = image("6.1.0 x");
        assert!(version(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(version(&whole[..length]).is_err(), "{length}");
        }
    }

    proptest! {
        #[test]
        fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert!(version(&garbage).is_err());
        }

        #[test]
        fn no_header_is_too_strange(
            flips in prop::collection::vec((0x1f0usize..0x300, any::<u8>()), 0..20),
            length in 0..1040usize,
        ) {
            let mut image = image("6.1.0-57-cloud-amd64 Debian 6.1.192-3");
            for (at, byte) in flips {
                image[at] = byte;
            }
            image.truncate(length);
            let _either = version(&image);
        }
    }
}
