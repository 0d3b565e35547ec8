//! Damaged and surprising files of every format: an error with a next step, never a panic.

use crate::declared::{counted, declaration, problem, read, shown};
use crate::writing::{Columns, Values, arrow_file, arrow_stream, batch, gzip, parquet, zstandard};
use arrow_array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_array::{TimestampMillisecondArray, UInt64Array};
use arrow_ipc::CompressionType;
use declare::{Declaration, Negative, Policy};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::sync::Arc;

/// Collects the messages of several files in one snapshot.
struct Cases(String);

impl Cases {
    fn add(&mut self, title: &str, name: &str, declaration: &Declaration, content: impl AsRef<[u8]>) {
        self.0 += &format!("# {title}\n{}\n", problem(&named(declaration, name), content));
    }
}

fn named(declaration: &Declaration, name: &str) -> Declaration {
    let mut declaration = declaration.clone();
    declaration.data.path = name.into();
    declaration
}

fn table(rows: usize) -> Columns {
    vec![
        ("county", Values::Text((0..rows).map(|row| Some(["Alpha", "Beta", "Gamma"][row % 3].into())).collect())),
        ("age", Values::Whole((0..rows).map(|row| Some((row % 4) as i64)).collect())),
        ("size", Values::Real((0..rows).map(|row| Some(row as f64 / 2.0)).collect())),
    ]
}

fn plain_parquet(rows: usize) -> Vec<u8> {
    parquet(&table(rows), WriterProperties::default())
}

const TEXT: &[u8] = b"county,age\nAlpha,1\nBeta,2\nGamma,3\n";

#[test]
fn packed_text() {
    let mut cases = Cases(String::new());
    let (gz, zst) = (gzip(TEXT), zstandard(TEXT));
    cases.add("gzip, empty", "data.csv.gz", &declaration(), b"");
    cases.add("gzip, cut in its header", "data.csv.gz", &declaration(), &gz[..5]);
    cases.add("gzip, cut in its data", "data.csv.gz", &declaration(), &gz[..20]);
    cases.add("gzip, cut before its end", "data.csv.gz", &declaration(), &gz[..gz.len() - 3]);
    cases.add("gzip, not packed at all", "data.csv.gz", &declaration(), TEXT);
    let mut flipped = gz.clone();
    flipped[gz.len() / 2 - 6] ^= 0xff;
    cases.add("gzip, a wrong check sum", "data.csv.gz", &declaration(), flipped);
    cases.add("gzip, letters after its end", "data.csv.gz", &declaration(), [&gz[..], b"more and more text"].concat());
    cases.add("Zstandard, cut in its header", "data.csv.zst", &declaration(), &zst[..3]);
    cases.add("Zstandard, cut in its data", "data.csv.zst", &declaration(), &zst[..zst.len() - 3]);
    cases.add("Zstandard, not packed at all", "data.csv.zst", &declaration(), TEXT);
    cases.add("a bad value inside", "data.csv.gz", &declaration(), gzip(b"county,age\nAlpha,1\nBeta,9\n"));
    cases.add(
        "an open quotation mark inside",
        "data.tsv.zst",
        &declaration(),
        zstandard(b"age\tcounty\n1\t\"Alpha\n2\t"),
    );
    cases.add("nothing inside", "data.csv.zst", &declaration(), zstandard(b""));
    cases.add("packed Parquet", "data.parquet.gz", &declaration(), gzip(&plain_parquet(3)));
    cases.add("packed Arrow", "data.arrow.zst", &declaration(), zstandard(&arrow_file(&batch(&table(3)), 9, None)));
    cases.add("packed, but what", "data.gz", &declaration(), &gz);
    insta::assert_snapshot!(cases.0);
}

#[test]
fn encodings() {
    let mut cases = Cases(String::new());
    let wide: Vec<u8> = "county,age\nAlpha,1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    cases.add("UTF-16, big end first", "data.csv", &declaration(), [&b"\xfe\xff"[..], &wide].concat());
    cases.add("UTF-16 without a mark", "data.csv", &declaration(), &wide);
    cases.add("Latin-1 in the header", "data.csv", &declaration(), b"county,age,stra\xdfe\nAlpha,1,x\n");
    cases.add("NUL bytes", "data.csv", &declaration(), b"county,age\nAl\0pha,1\n");
    cases.add("a file of NUL bytes", "data.csv", &declaration(), [0; 64]);
    cases.add("Parquet named .csv", "data.csv", &declaration(), plain_parquet(3));
    cases.add("a byte order mark inside", "data.csv", &declaration(), "county,age\n\u{feff}Alpha,1\n");
    insta::assert_snapshot!(cases.0);
}

#[test]
fn counts_and_units() {
    let mut cases = Cases(String::new());
    let mut corrected = counted();
    corrected.data.negative = Negative::Zero;
    let file = |count: &str| format!("county,age,children\nAlpha,1,2\nBeta,1,{count}\n");
    cases.add("a negative fraction, even where negatives are zero", "data.csv", &corrected, file("-2.5"));
    cases.add("an exponent", "data.csv", &corrected, file("-1e3"));
    cases.add("a sum beyond 2^53", "data.csv", &corrected, file("9007199254740992"));
    let mut owned = declaration();
    owned.data.unit = Some("person".into());
    owned.data.rows_per_unit = 2;
    let people = b"county,age,person\nAlpha,1,x\nAlpha,1,y\nBeta,2,x\nAlpha,1,x\n";
    cases.add("a unit with too many rows", "data.csv", &owned, people);
    cases.add("a missing unit", "data.csv", &owned, b"county,age,person\nAlpha,1, \n");
    cases.add("no column of units", "data.csv", &owned, b"county,age,persons\nAlpha,1,x\n");
    let person: Columns = vec![
        ("county", Values::Text(vec![Some("Alpha".into()); 4])),
        ("age", Values::Whole(vec![Some(1); 4])),
        ("person", Values::Whole(vec![Some(1), Some(2), Some(1), Some(1)])),
    ];
    cases.add("in Parquet", "data.parquet", &owned, parquet(&person, WriterProperties::default()));
    cases.add("in Arrow", "data.arrow", &owned, arrow_file(&batch(&person), 2, None));
    insta::assert_snapshot!(cases.0);
    let read = read(&corrected, file("-3")).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    assert_eq!((read.rows.negative, read.table.counts()[5]), (1, 0));
    owned.data.missing = Policy::Drop;
    let read = crate::declared::read(&owned, "county,age,person\nAlpha,1,\nAlpha,1,x\n").expect("a table");
    assert_eq!((read.rows.dropped_missing, read.table.counts()[1]), (1, 1));
}

fn written(columns: Vec<(&str, ArrayRef)>) -> (Vec<u8>, Vec<u8>) {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("equal lengths");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    (writer.into_inner().expect("a file"), arrow_file(&batch, 9, None))
}

#[test]
fn columns_of_other_kinds() {
    let mut cases = Cases(String::new());
    let county = || -> ArrayRef { Arc::new(StringArray::from(vec!["Alpha"])) };
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let nested = StructArray::try_from(vec![("inner", inner)]).expect("a struct");
    let kinds: Vec<(&str, ArrayRef)> = vec![
        ("times", Arc::new(TimestampMillisecondArray::from(vec![1]))),
        ("decimals", Arc::new(Decimal128Array::from(vec![100]))),
        ("nested", Arc::new(nested)),
        ("beyond 64 bits", Arc::new(UInt64Array::from(vec![u64::MAX]))),
        ("nothing", Arc::new(arrow_array::NullArray::new(1))),
    ];
    for (kind, age) in kinds {
        let (parquet, arrow) = written(vec![("county", county()), ("age", age)]);
        cases.add(&format!("{kind} in Parquet"), "data.parquet", &declaration(), parquet);
        cases.add(&format!("{kind} in Arrow"), "data.arrow", &declaration(), arrow);
    }
    let (parquet, arrow) = written(vec![("county", county())]);
    cases.add("no such column in Parquet", "data.parquet", &declaration(), parquet);
    cases.add("no such column in Arrow", "data.arrow", &declaration(), arrow);
    insta::assert_snapshot!(cases.0);
}

#[test]
fn damaged_parquet() {
    let mut cases = Cases(String::new());
    let whole = plain_parquet(500);
    let length = whole.len();
    cases.add("only its beginning", "data.parquet", &declaration(), &whole[..7]);
    cases.add("cut in its data", "data.parquet", &declaration(), &whole[..length / 3]);
    cases.add("cut in its footer", "data.parquet", &declaration(), &whole[..length - 60]);
    cases.add("its beginning is missing", "data.parquet", &declaration(), &whole[40..]);
    let mut changed = |title: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        cases.add(title, "data.parquet", &declaration(), bytes);
    };
    changed("a part of its data is missing", &|bytes| drop(bytes.drain(200..300)));
    changed("encrypted footer", &|bytes| bytes[length - 4..].copy_from_slice(b"PARE"));
    changed("a footer of impossible length", &|bytes| bytes[length - 8..length - 4].copy_from_slice(&[0xff; 4]));
    changed("an empty footer", &|bytes| bytes[length - 8..length - 4].copy_from_slice(&[0; 4]));
    changed("zeros for data", &|bytes| bytes[4..200].fill(0));
    changed("ones for data", &|bytes| bytes[4..200].fill(0xff));
    changed("a huge page", &|bytes| huge_page(bytes));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let mut packed = parquet(&table(5000), properties.set_dictionary_enabled(false).build());
    packed[60..160].fill(0x55);
    cases.add("packed data that cannot be unpacked", "data.parquet", &declaration(), packed);
    cases.add("text", "data.parquet", &declaration(), TEXT);
    cases.add("Arrow", "data.parquet", &declaration(), arrow_file(&batch(&table(3)), 9, None));
    insta::assert_snapshot!(cases.0);
}

/// The header of the first page says that it unpacks to two gibibytes.
fn huge_page(bytes: &mut [u8]) {
    // Page type (field 1), then the unpacked size (field 2), a number of up to five bytes.
    assert_eq!((bytes[4], bytes[6]), (0x15, 0x15), "the beginning of a page header");
    let size = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    bytes[7..12].copy_from_slice(&size);
}

#[test]
fn damaged_arrow() {
    let mut cases = Cases(String::new());
    let batch = batch(&table(50));
    let (file, stream) = (arrow_file(&batch, 20, None), arrow_stream(&batch, 20));
    let length = file.len();
    cases.add("empty", "data.arrow", &declaration(), b"");
    cases.add("only its beginning", "data.arrow", &declaration(), &file[..20]);
    cases.add("cut in its data", "data.arrow", &declaration(), &file[..length / 2]);
    cases.add("cut in its footer", "data.arrow", &declaration(), &file[..length - 40]);
    cases.add("a part of its data is missing", "data.arrow", &declaration(), [&file[..600], &file[900..]].concat());
    cases.add("text", "data.feather", &declaration(), TEXT);
    cases.add("Parquet", "data.ipc", &declaration(), plain_parquet(3));
    cases.add("old Feather", "data.feather", &declaration(), b"FEA1 and more");
    let mut footer = file.clone();
    footer[length - 10..length - 6].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    cases.add("a footer of impossible length", "data.arrow", &declaration(), footer);
    cases.add("a stream, cut between words", "data.arrows", &declaration(), &stream[..6]);
    cases.add("a stream, cut in its columns", "data.arrows", &declaration(), &stream[..100]);
    cases.add("a stream, cut in its data", "data.arrows", &declaration(), &stream[..stream.len() - 300]);
    cases.add("a stream of nothing", "data.arrows", &declaration(), [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    let mut packed = arrow_file(&batch, 50, Some(CompressionType::ZSTD));
    let prefix = packed.windows(4).position(|bytes| bytes == [0x28, 0xb5, 0x2f, 0xfd]).expect("a frame") - 8;
    packed[prefix..prefix + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    cases.add("a part that unpacks to a tebibyte", "data.arrow", &declaration(), packed);
    insta::assert_snapshot!(cases.0);
}

#[test]
fn any_flipped_byte_is_an_error_or_another_table() {
    let mut lenient = declaration();
    lenient.data.outside = Policy::Drop;
    lenient.data.missing = Policy::Drop;
    let few = || table(20).into_iter().take(2).collect::<Columns>();
    let properties = || WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
    let packed = properties().set_compression(Compression::SNAPPY).build();
    let lengths = properties().set_writer_version(WriterVersion::PARQUET_2_0);
    let lengths = lengths.set_dictionary_enabled(false).build();
    let text: Vec<u8> = TEXT.repeat(3);
    for (name, bytes) in [
        ("data.parquet", parquet(&few(), packed)),
        ("lengths.parquet", parquet(&few(), lengths)),
        ("data.arrow", arrow_file(&batch(&few()), 10, Some(CompressionType::LZ4_FRAME))),
        ("data.arrows", arrow_stream(&batch(&few()), 10)),
        ("data.csv.gz", gzip(&text)),
        ("data.csv.zst", zstandard(&text)),
    ] {
        let declaration = named(&lenient, name);
        assert!(read(&declaration, &bytes).is_ok(), "{name}");
        for place in 0..bytes.len() {
            for flip in [0xff, 0x80] {
                let mut flipped = bytes.clone();
                flipped[place] ^= flip;
                let _ = read(&declaration, &flipped).map_err(|problem| shown(&problem));
            }
        }
        for length in (0..bytes.len()).step_by(3) {
            let cut = read(&declaration, &bytes[..length]).map_err(|problem| shown(&problem));
            // A stream may end after any message, a packed file after any member.
            assert!(cut.is_err() || name == "data.arrows" || name.contains("csv"), "{name} cut to {length} bytes");
        }
    }
}
