//! The JSON schema of specs: its keys and words are those of the parser, and good specs satisfy it.

use congenial::{SPEC_SCHEMA, spec_schema};
use declare::{Duplicates, Encoding, Method, Negative, Per, Period, Policy, Record, Relation, SPEC_KEYS, vocabulary};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn schema() -> Value {
    serde_json::from_str(SPEC_SCHEMA).unwrap()
}

/// The schema that a reference leads to, or the schema itself.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(path) => root.pointer(path.strip_prefix('#').unwrap()).unwrap_or_else(|| panic!("{path} leads nowhere")),
        None => schema,
    }
}

/// All schemas that may stand for a value: the alternatives, the elements of lists.
fn alternatives<'a>(root: &'a Value, schema: &'a Value, found: &mut Vec<&'a Value>) {
    let schema = resolved(root, schema);
    found.push(schema);
    for alternative in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        alternatives(root, alternative, found);
    }
    if let Some(items) = schema.get("items") {
        alternatives(root, items, found);
    }
}

/// The schema of a section with properties.
fn section<'a>(root: &'a Value, path: &str) -> &'a Value {
    let mut here = root;
    for key in path.split('.').filter(|key| !key.is_empty()) {
        let mut found = Vec::new();
        alternatives(root, here, &mut found);
        let next = found.into_iter().find_map(|schema| match key {
            "*" => schema.get("additionalProperties").filter(|inner| inner.is_object()),
            key => schema.pointer("/properties").and_then(|properties| properties.get(key)),
        });
        here = next.unwrap_or_else(|| panic!("the schema has no `{key}` on the way to `{path}`"));
    }
    let mut found = Vec::new();
    alternatives(root, here, &mut found);
    let with_keys = found.into_iter().find(|schema| schema.get("properties").is_some());
    with_keys.unwrap_or_else(|| panic!("`{path}` has no keys in the schema"))
}

#[test]
fn the_schema_has_the_keys_of_the_parser_and_no_others() {
    let root = schema();
    for (path, keys) in SPEC_KEYS {
        let section = section(&root, path);
        let known: BTreeSet<&str> = section["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(known, keys.iter().copied().collect(), "`{path}`");
        assert!(section["additionalProperties"] == false, "`{path}` must refuse other keys");
        for (key, schema) in section["properties"].as_object().unwrap() {
            let described = schema.get("description").or(resolved(&root, schema).get("description"));
            assert!(described.is_some(), "`{path}.{key}` has no description");
        }
    }
    // Nothing with keys stands in the schema that the parser's list does not have.
    let count = SPEC_SCHEMA.matches("\"additionalProperties\": false").count();
    assert_eq!(count, SPEC_KEYS.len());
}

#[test]
fn the_schema_has_the_words_of_the_parser() {
    let root = schema();
    let words = |path: &str, key: &str| -> Vec<String> {
        let choices = section(&root, path)["properties"][key]["enum"].as_array().unwrap_or_else(|| panic!("{key}"));
        choices.iter().map(|word| word.as_str().unwrap().to_string()).collect()
    };
    assert_eq!(words("data", "outside"), Policy::ALL.map(Policy::name));
    assert_eq!(words("data", "missing"), Policy::ALL.map(Policy::name));
    assert_eq!(words("data", "duplicates"), Duplicates::ALL.map(Duplicates::name));
    assert_eq!(words("data", "negative"), Negative::ALL.map(Negative::name));
    assert_eq!(words("data", "beyond"), Policy::ALL.map(Policy::name));
    assert_eq!(words("data", "encoding"), Encoding::ALL.map(Encoding::name));
    assert_eq!(words("dimensions.*", "dates"), Period::ALL.map(Period::name));
    assert_eq!(words("dimensions.*", "record"), Record::ALL.map(Record::name));
    assert_eq!(words("constraints.rule", "op"), Relation::ALL.map(Relation::name));
    assert_eq!(words("mechanism", "noise"), vocabulary().noises.iter().map(|noise| noise.name).collect::<Vec<_>>());
    assert_eq!(words("mechanism", "method"), Method::ALL.map(Method::name));
    assert_eq!(words("mechanism", "per"), Per::ALL.map(Per::name));
    let operators: Vec<&str> = ["auto"].into_iter().chain(vocabulary().samplers.iter().map(|word| word.name)).collect();
    assert_eq!(words("mechanism", "sampler"), operators);
    assert_eq!(spec_schema(), SPEC_SCHEMA);
}

/// A TOML value as JSON.
fn to_json(item: &toml_edit::Value) -> Value {
    match item {
        toml_edit::Value::String(text) => json!(text.value()),
        toml_edit::Value::Integer(integer) => json!(integer.value()),
        toml_edit::Value::Float(float) => json!(float.value()),
        toml_edit::Value::Boolean(flag) => json!(flag.value()),
        toml_edit::Value::Datetime(time) => json!(time.value().to_string()),
        toml_edit::Value::Array(array) => array.iter().map(to_json).collect(),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.to_string(), to_json(value))).collect())
        }
    }
}

fn table_to_json(table: &toml_edit::Table) -> Value {
    let mut object = Map::new();
    for (key, item) in table {
        let value = match item {
            toml_edit::Item::Value(value) => to_json(value),
            toml_edit::Item::Table(table) => table_to_json(table),
            toml_edit::Item::ArrayOfTables(tables) => tables.iter().map(table_to_json).collect(),
            toml_edit::Item::None => continue,
        };
        object.insert(key.to_string(), value);
    }
    Value::Object(object)
}

/// What is wrong with a value, by the part of JSON Schema that the schema uses; an unknown keyword
/// is a fault too.
fn faults(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let of_type = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("the type {other}"),
    };
    let size = value.as_array().map(Vec::len).or(value.as_object().map(Map::len)).or(value.as_str().map(str::len));
    for (keyword, argument) in schema.as_object().unwrap() {
        let least = argument.as_i64().unwrap_or(0);
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "properties" => {}
            "$ref" => faults(root, resolved(root, schema), value, place, found),
            "type" => {
                let names = argument.as_array().cloned().unwrap_or_else(|| vec![argument.clone()]);
                if !names.iter().any(|name| of_type(name.as_str().unwrap())) {
                    found.push(format!("{place}: not {argument}"));
                }
            }
            "enum" => {
                if !argument.as_array().unwrap().contains(value) {
                    found.push(format!("{place}: not one of {argument}"));
                }
            }
            "required" => {
                for key in argument.as_array().unwrap() {
                    if value.is_object() && value.get(key.as_str().unwrap()).is_none() {
                        found.push(format!("{place}: needs {key}"));
                    }
                }
            }
            "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let place = format!("{place}.{key}");
                    match (schema.pointer("/properties").and_then(|known| known.get(key)), argument) {
                        (Some(known), _) => faults(root, known, inner, &place, found),
                        (None, Value::Bool(false)) => found.push(format!("{place}: unknown key")),
                        (None, other) => faults(root, other, inner, &place, found),
                    }
                }
            }
            "items" => {
                for (position, inner) in value.as_array().into_iter().flatten().enumerate() {
                    faults(root, argument, inner, &format!("{place}[{position}]"), found);
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |schema: &Value| {
                    let mut inside = Vec::new();
                    faults(root, schema, value, place, &mut inside);
                    inside.is_empty()
                };
                match argument.as_array().unwrap().iter().filter(|schema| fits(schema)).count() {
                    0 => found.push(format!("{place}: fits no alternative")),
                    2.. if keyword == "oneOf" => found.push(format!("{place}: fits several alternatives")),
                    _ => {}
                }
            }
            "minItems" | "minProperties" | "minLength" if size.is_some_and(|size| (size as i64) < least) => {
                found.push(format!("{place}: {keyword}"));
            }
            "maxItems" | "maxLength" if size.is_some_and(|size| size as i64 > least) => {
                found.push(format!("{place}: {keyword}"));
            }
            "minItems" | "minProperties" | "minLength" | "maxItems" | "maxLength" => {}
            "minimum" if value.as_i64().is_some_and(|value| value < least) => found.push(format!("{place}: too small")),
            "maximum" if value.as_i64().is_some_and(|value| value > least) => found.push(format!("{place}: too large")),
            "minimum" | "maximum" => {}
            other => panic!("{place}: the keyword {other} is not checked by this test"),
        }
    }
}

fn check(text: &str) -> Vec<String> {
    let root = schema();
    let document: toml_edit::DocumentMut = text.parse().unwrap();
    let mut found = Vec::new();
    faults(&root, &root, &table_to_json(document.as_table()), "spec", &mut found);
    found
}

fn specs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            specs(&path, found);
        } else if path.extension().is_some_and(|end| end == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn good_specs_satisfy_the_schema() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["../../examples", "../draft/starter", "../declare/tests/good"] {
        specs(&here.join(folder), &mut found);
    }
    assert!(found.len() >= 10);
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        // Specs of `congenial regress` have sections of their own, which no table has.
        if text.contains("[response]") {
            continue;
        }
        assert_eq!(check(&text), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn bad_specs_do_not() {
    let good = draft::SPEC;
    for (from, to) in [
        ("count  =", "cuont ="),
        ("public = true", "public = \"yes\""),
        ("by = [\"county\"]", "by = \"county\""),
        ("noise   = \"double-geometric\"", "noise = \"geometric\""),
        ("noise   = \"double-geometric\"", ""),
        ("county    = [\"Alpha\", \"Beta\", \"Gamma\", \"Delta\"]", "county = []"),
        ("public = true", "public = true\nrows_per_unit = 0"),
    ] {
        assert!(good.contains(from), "{from}");
        let faults = check(&good.replace(from, to));
        assert!(!faults.is_empty(), "{to} satisfies the schema");
    }
}
