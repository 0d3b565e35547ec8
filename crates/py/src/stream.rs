//! `Stream`: a table that goes out by Arrow, and frames that come in by it.

use crate::problem::exception;
use crate::running::run;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, RecordBatchIterator, StringArray};
use arrow_pyarrow::FromPyArrow;
use congenial::{Frame, FrameColumn, Problem};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyFloat, PyInt, PyList};
use std::path::PathBuf;

/// A table in memory that speaks Arrow.
#[pyclass(frozen, module = "congenial._congenial")]
pub(crate) struct Stream {
    frame: Frame,
}

impl Stream {
    pub(crate) fn new(frame: Frame) -> Stream {
        Stream { frame }
    }
}

#[pymethods]
impl Stream {
    /// The table as a stream of record batches. A requested schema is ignored, as the protocol
    /// allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches: Vec<_> = self.frame.batches().iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, self.frame.schema().clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// What the columns hold.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.frame.schema().as_ref())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Writes the table to a Parquet file that does not exist yet.
    fn write_parquet(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let frame = self.frame.clone();
        run(py, None, move |_| frame.write_parquet(&path))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.frame.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.frame.rows()
    }

    /// The columns as lists of plain values.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (place, field) in self.frame.schema().fields().iter().enumerate() {
            let values = PyList::empty(py);
            for batch in self.frame.batches() {
                append(&values, batch.column(place).as_ref())?;
            }
            columns.set_item(field.name(), values)?;
        }
        Ok(columns)
    }
}

fn append(values: &Bound<'_, PyList>, array: &dyn Array) -> PyResult<()> {
    if let Some(texts) = array.as_any().downcast_ref::<StringArray>() {
        return texts.iter().try_for_each(|text| values.append(text));
    }
    if let Some(flags) = array.as_any().downcast_ref::<BooleanArray>() {
        return flags.iter().try_for_each(|flag| values.append(flag));
    }
    if let Some(numbers) = array.as_any().downcast_ref::<Int64Array>() {
        return numbers.iter().try_for_each(|number| values.append(number));
    }
    if let Some(numbers) = array.as_any().downcast_ref::<Float64Array>() {
        return numbers.iter().try_for_each(|number| values.append(number));
    }
    Err(PyValueError::new_err(format!("a column of {} is not listed here: read it by Arrow", array.data_type())))
}

/// Columns of plain values as a table: texts, whole numbers, real numbers or flags, each perhaps
/// with `None`.
#[pyfunction]
pub(crate) fn stream_of(py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<Stream> {
    let mut made = Vec::with_capacity(columns.len());
    for (name, values) in columns {
        let values: Vec<Bound<'_, PyAny>> = values.extract()?;
        made.push((name.extract::<String>()?, column_of(&values)?));
    }
    Frame::of_columns(made).map(Stream::new).map_err(|problem| exception(py, &problem))
}

fn column_of(values: &[Bound<'_, PyAny>]) -> PyResult<FrameColumn> {
    let known = || values.iter().filter(|value| !value.is_none());
    fn all<'py, T: for<'a> FromPyObject<'a, 'py>>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<Option<T>>> {
        let value = |value: &Bound<'py, PyAny>| match value.is_none() {
            true => Ok(None),
            false => value.extract().map(Some).map_err(Into::into),
        };
        values.iter().map(value).collect()
    }
    let is_flag = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyBool>();
    let is_whole = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyInt>() && !is_flag(value);
    let is_number = |value: &Bound<'_, PyAny>| is_whole(value) || value.is_instance_of::<PyFloat>();
    match known().next() {
        Some(_) if known().all(is_flag) => Ok(FrameColumn::Flags(all(values)?)),
        Some(_) if known().all(is_whole) => Ok(FrameColumn::Integers(all(values)?)),
        Some(_) if known().all(is_number) => Ok(FrameColumn::Reals(all(values)?)),
        _ => Ok(FrameColumn::MaybeTexts(all(values)?)),
    }
}

/// A Parquet file that this program wrote.
#[pyfunction]
pub(crate) fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Stream> {
    let name = path.display().to_string();
    run(py, None, move |_| Frame::of_parquet(&path, &name).map(Stream::new))
}

/// The rows that an object hands over by Arrow. It owns what it gives: changes to the object change
/// nothing here.
pub(crate) fn frame_of(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Frame> {
    if !object.hasattr("__arrow_c_stream__")? {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a dataframe is expected (pandas, polars, pyarrow, DuckDB: anything with __arrow_c_stream__), not `{kind}`"
        )));
    }
    // A frame in chunks comes chunk by chunk: its library may copy it whole otherwise.
    let chunks = match object.getattr_opt("arrow_chunks")? {
        Some(chunks) => chunks.extract::<Vec<Bound<'_, PyAny>>>()?,
        None => vec![object.clone()],
    };
    let readers = chunks.iter().map(|chunk| reader_of(py, chunk)).collect::<PyResult<Vec<_>>>()?;
    let frame = py.detach(move || {
        let frames = readers.into_iter().map(|reader| Frame::read(Box::new(reader)));
        Frame::joined(frames.collect::<Result<_, _>>()?)
    });
    frame.map_err(|problem| exception(py, &problem))
}

fn reader_of(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    RecordBatchStreamReader::from_pyarrow_bound(object).map_err(|error| {
        // What the object itself raises is handed on; what cannot be read from its stream is a
        // mistake of the data.
        match error.is_instance_of::<PyValueError>(py) {
            false => error,
            true => {
                let problem = Problem::bad(format!("the columns of the frame cannot be read: {}", error.value(py)))
                    .hint("cast them to text, whole numbers, real numbers, flags or dates, and name them");
                exception(py, &problem)
            }
        }
    })
}
