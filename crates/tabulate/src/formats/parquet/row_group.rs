//! `RowGroup`: the pages of a row group on their way to the decoder, each checked once it is
//! unpacked.

use super::pages::Thrift;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::sync::Arc;

/// A row group of a file.
pub(crate) struct RowGroup {
    pub file: Arc<File>,
    pub metadata: Arc<ParquetMetaData>,
    pub number: usize,
}

impl RowGroup {
    fn group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.number)
    }
}

impl RowGroups for RowGroup {
    fn num_rows(&self) -> usize {
        usize::try_from(self.group().num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.group().column(column);
        let has_nulls = chunk.column_descr().max_def_level() > 0;
        let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, self.num_rows(), None)?;
        Ok(Box::new(Chunks { next: Some(Box::new(Pages { pages, has_nulls })) }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The one column chunk of a column in its row group.
struct Chunks {
    next: Option<Box<dyn PageReader>>,
}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next.take().map(Ok)
    }
}

impl PageIterator for Chunks {}

struct Pages {
    pages: SerializedPageReader<File>,
    has_nulls: bool,
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            check(page, self.has_nulls)
                .ok_or_else(|| ParquetError::General("a page claims more values than it has".to_owned()))?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Checks how many values a page of lengths claims: the decoder takes memory for all of them at
/// once.
fn check(page: &Page, has_nulls: bool) -> Option<()> {
    let (values, encoding, most) = match page {
        Page::DataPage { buf, encoding, num_values, .. } => {
            // The levels that tell nulls stand before the values, after their own length.
            let levels = match has_nulls {
                true => 4 + u32::from_le_bytes(buf.get(..4)?.try_into().ok()?) as usize,
                false => 0,
            };
            (buf.get(levels..), *encoding, *num_values)
        }
        Page::DataPageV2 { buf, encoding, num_values, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = (*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize)?;
            (buf.get(levels..), *encoding, *num_values)
        }
        Page::DictionaryPage { .. } => return Some(()),
    };
    if !matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) || most == 0 {
        return Some(());
    }
    // The size of a block, its number of parts, and the number of all values.
    let mut values = Thrift { bytes: values?, place: 0 };
    let (_, _, claimed) = (values.varint()?, values.varint()?, values.varint()?);
    (claimed <= u64::from(most)).then_some(())
}
