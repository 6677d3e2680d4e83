//! Merges the engine's sources into nested modules, without tests and documentation.

use engine::{PARAMS, Params, SearchKind};
use include_dir::{Dir, include_dir};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::path::{Path, PathBuf};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItemFn, Item, ItemFn, UseTree, parse_quote};

static SOURCES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../engine/src");

/// Modules of the program that a tournament needs besides the library.
const PROGRAM: [&str; 5] = ["codecup", "input", "output", "seed", "timer"];
/// Modules of the library that a tournament does not need. Imports from them, and list entries that name their items,
/// are dropped too.
const LEFT_OUT: [&str; 3] = ["uci", "mcts", "policy"];
/// The header of the file.
const NOTICE: &str = "// The engine of spar for the game 0.1, put together by `spar bundle`.\n// \
    SPDX-License-Identifier: GPL-3.0-or-later\n";
/// The program's entry code.
const ENTRY: &str = include_str!("entry.txt");
/// The decoders of embedded files.
const READERS: [(&str, &str); 2] = [("packed.rs", include_str!("packed.rs")), ("coded.rs", include_str!("coded.rs"))];

/// The sources do not have the form that this module expects.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file is missing.
    #[error("there is no {}", .0.display())]
    Missing(PathBuf),
    /// A file cannot be read as Rust.
    #[error("{}: {cause}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parse error.
        cause: syn::Error,
    },
}

/// The program without its embedded files, which must follow as constants in a module that is still open.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) files: Vec<(&'static str, &'static [u8])>,
}

pub(crate) fn program(params: &Params) -> Result<Program, SourceError> {
    let library = read(Path::new("lib.rs"), Path::new(""))?;
    let library = renamed(quote! { pub mod engine { #(#library)* } }, &["crate"]);
    let mut all = quote! { #![allow(dead_code, unused_imports)] #library };
    for name in PROGRAM {
        let path = Path::new("bin/zeropoint").join(name);
        let items = read(&path.with_extension("rs"), &path)?;
        let name = format_ident!("{name}");
        let module = renamed(quote! { mod #name { #(#items)* } }, &["engine"]);
        all.extend(module);
    }
    all.extend(changes(params));
    all.extend(parse(Path::new("entry.txt"), ENTRY)?.into_iter().flat_map(|item| quote! { #item }));
    let file = syn::parse2(all).map_err(|cause| SourceError::Syntax { path: "the bundle".into(), cause })?;
    let mut items = Vec::new();
    for (name, text) in READERS {
        items.extend(parse(Path::new(name), text)?);
    }
    let readers = prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items });
    let text = format!("{NOTICE}{}mod packed {{\n{readers}", prettyplease::unparse(&file));
    let network = file_of("eval/network.bin")?;
    let wps = file_of("eval/wps.bin")?;
    let book = file_of("book/book.bin")?;
    Ok(Program { text, files: vec![("network", network), ("wps", wps), ("book", book)] })
}

/// A constant with the bundle's parameters that differ from their defaults.
fn changes(params: &Params) -> TokenStream {
    let used = PARAMS.iter().filter(|info| SearchKind::default().has(info));
    let changed = used.filter_map(|info| {
        let value = params.get(info.name).filter(|value| value.to_bits() != info.default.to_bits())?;
        let name = info.name;
        Some(quote! { (#name, #value) })
    });
    quote! { const CHANGES: &[(&str, f64)] = &[#(#changed),*]; }
}

fn file_of(path: &str) -> Result<&'static [u8], SourceError> {
    SOURCES.get_file(path).map(include_dir::File::contents).ok_or_else(|| SourceError::Missing(path.into()))
}

/// The items of a file; the files of its modules are in `folder`.
fn read(path: &Path, folder: &Path) -> Result<Vec<Item>, SourceError> {
    let file = SOURCES.get_file(path).ok_or_else(|| SourceError::Missing(path.to_owned()))?;
    let mut items = parse(path, file.contents_utf8().unwrap_or_default())?;
    items.retain(|item| !is_left_out(item));
    for item in &mut items {
        let Item::Mod(module) = item else { continue };
        if module.content.is_some() {
            continue;
        }
        let inner = folder.join(module.ident.to_string());
        let [beside, within] = [inner.with_extension("rs"), inner.join("mod.rs")];
        let path = if SOURCES.get_file(&beside).is_some() { beside } else { within };
        module.content = Some((syn::token::Brace::default(), read(&path, &inner)?));
        module.semi = None;
    }
    Ok(items)
}

fn is_left_out(item: &Item) -> bool {
    match item {
        Item::Mod(module) => LEFT_OUT.iter().any(|name| module.ident == name),
        Item::Use(import) => match &import.tree {
            // A group of names in braces is handled as a list.
            UseTree::Group(_) => false,
            tree => goes_through(&quote! { #tree }.into_iter().collect::<Vec<_>>(), &LEFT_OUT),
        },
        _ => false,
    }
}

/// Whether a path among these tokens goes through one of the modules; the content of brackets is ignored.
fn goes_through(tokens: &[TokenTree], modules: &[&str]) -> bool {
    tokens.windows(3).any(|three| {
        let [TokenTree::Ident(name), TokenTree::Punct(first), TokenTree::Punct(second)] = three else { return false };
        modules.iter().any(|module| name == module) && first.as_char() == ':' && second.as_char() == ':'
    })
}

/// The entries of a comma-separated list, without those that name items of these modules.
fn without_entries(tokens: TokenStream, modules: &[&str]) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let entries = tokens.split_inclusive(is_comma).filter(|entry| !goes_through(entry, modules));
    entries.flatten().cloned().collect()
}

/// Parses the items of a text, without tests and documentation.
fn parse(path: &Path, text: &str) -> Result<Vec<Item>, SourceError> {
    let file = syn::parse_file(text).map_err(|cause| SourceError::Syntax { path: path.to_owned(), cause })?;
    let mut items = file.items;
    items.retain(|item| !attributes(item).iter().any(is_test));
    for item in &mut items {
        Stripped.visit_item_mut(item);
    }
    Ok(items)
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Ident>().is_ok_and(|what| what == "test")
}

/// Strips documentation and clippy attributes, and lets every function be inlined anywhere. The tournament's compiler
/// splits a file into sixteen codegen units, which see each other's functions only if they can be inlined.
struct Stripped;

impl VisitMut for Stripped {
    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        visit_mut::visit_item_fn_mut(self, function);
        let_be_inlined(&mut function.attrs);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, function);
        let_be_inlined(&mut function.attrs);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        let is_needed = |attribute: &Attribute| {
            let path = attribute.path();
            !path.is_ident("doc") && !path.is_ident("allow") && !path.is_ident("must_use")
        };
        attributes.retain(is_needed);
    }
}

fn let_be_inlined(attributes: &mut Vec<Attribute>) {
    let says = |attribute: &Attribute| attribute.path().is_ident("inline") || attribute.path().is_ident("cold");
    if !attributes.iter().any(says) {
        attributes.push(parse_quote! { #[inline] });
    }
}

/// Redirects paths that begin with one of these names to the bundle's module of the library, and replaces embedded
/// files by the texts of the bundle. Works on tokens, so macros are covered too.
fn renamed(tokens: TokenStream, roots: &[&str]) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut all = TokenStream::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token {
            TokenTree::Ident(name) if name == "include_bytes" => {
                // `include_bytes ! ("network.bin")`
                let file = tokens.get(index + 1).map(ToString::to_string).unwrap_or_default();
                let stem = file.trim_matches(['(', ')', '"', ' ']).trim_end_matches(".bin").to_uppercase();
                let text = format_ident!("{stem}");
                all.extend(quote! { &crate::packed::decompress(&crate::packed::unpack(crate::packed::#text)) });
                index += 2;
            }
            TokenTree::Ident(name) if roots.iter().any(|root| name == root) && begins_path(&tokens, index) => {
                all.extend(quote! { crate::engine });
            }
            TokenTree::Group(group) => {
                let kept = without_entries(group.stream(), &LEFT_OUT);
                let mut inner = Group::new(group.delimiter(), renamed(kept, roots));
                inner.set_span(group.span());
                all.extend([TokenTree::Group(inner)]);
            }
            other => all.extend([other.clone()]),
        }
    }
    all
}

/// Whether the name before this index is the first of a path.
fn begins_path(tokens: &[TokenTree], after: usize) -> bool {
    let sign = |index: usize| match tokens.get(index) {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    let before = |places: usize| after.checked_sub(places).and_then(sign);
    // A single colon precedes a type.
    let goes_on = before(2) == Some('.') || before(2) == Some(':') && before(3) == Some(':');
    sign(after) == Some(':') && sign(after + 1) == Some(':') && !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_module_that_is_left_out_is_left_out_with_it() {
        let kept = |text: &str| renamed(text.parse().expect("tokens"), &[]).to_string().replace(' ', "");
        assert_eq!(
            kept("const ALL: &[Info] = &[a::INFO, uci::INFO, b::INFO];"),
            "constALL:&[Info]=&[a::INFO,b::INFO];"
        );
        assert_eq!(kept("groups! { a: x::A, b: crate::uci::B, }"), "groups!{a:x::A,}");
        assert_eq!(kept("use x::{a, uci::{B, C}, d};"), "usex::{a,d};");
        let is_gone = |text: &str| is_left_out(&syn::parse_str(text).expect("an item"));
        assert!(is_gone("mod uci;") && is_gone("pub use uci::Go;") && is_gone("pub use uci::{Go, Info};"));
        assert!(!is_gone("use std::fmt;") && !is_gone("use x::{uci::Go, y};") && !is_gone("fn uci() {}"));
    }

    #[test]
    fn paths_begin_in_the_bundle_and_files_are_texts() {
        let renamed =
            |text: &str, roots: &[&str]| renamed(text.parse().expect("tokens"), roots).to_string().replace(' ', "");
        assert_eq!(
            renamed("use crate::a; x!(crate::b, c: crate::c); pub(crate) fn f() {}", &["crate"]),
            "usecrate::engine::a;x!(crate::engine::b,c:crate::engine::c);pub(crate)fnf(){}"
        );
        assert_eq!(
            renamed("engine::bench(self.engine.x, a::engine::y)", &["engine"]),
            "crate::engine::bench(self.engine.x,a::engine::y)"
        );
        assert_eq!(
            renamed("f(include_bytes!(\"wps.bin\"))", &["crate"]),
            "f(&crate::packed::decompress(&crate::packed::unpack(crate::packed::WPS)))"
        );
    }
}
