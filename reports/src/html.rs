//! Building blocks of all sections of the page: text, tables and lists. `maud` escapes the text.

use maud::{Markup, html};
use std::borrow::Cow;

/// Prepares foreign text: names and lines of engines may contain control characters, which HTML does not allow; each
/// becomes a space.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) { text.replace(char::is_control, " ").into() } else { text.into() }
}

/// A table with heads; on narrow screens each row becomes a block whose cells carry their heads.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.wide {
            table.stack {
                "\n" tr.heads { @for head in heads { th { (plain(head)) } } }
                @for row in rows {
                    "\n" tr {
                        @for (head, cell) in heads.iter().zip(row) { td data-head=(plain(head)) { (plain(cell)) } }
                    }
                }
            }
        }
        "\n"
    }
}

/// Rows that begin with their subject; long text is broken.
pub(crate) fn list(rows: &[Vec<String>]) -> Markup {
    html! {
        div.wide {
            table.list {
                @for row in rows {
                    "\n" tr {
                        @for (index, cell) in row.iter().enumerate() {
                            @if index == 0 { th { (plain(cell)) } } @else { td { (plain(cell)) } }
                        }
                    }
                }
            }
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_try_to_be_markup_are_text() {
        let hostile = "</td><script>\"'&\u{1b}[1m\0";
        let cells = "&lt;/td&gt;&lt;script&gt;&quot;'&amp; [1m ";
        let table = table(&["a \"b\""], &[vec![hostile.to_owned()]]).into_string();
        assert!(table.contains(&format!("<td data-head=\"a &quot;b&quot;\">{cells}</td>")), "{table}");
        let list = list(&[vec!["a".to_owned(), hostile.to_owned()]]).into_string();
        assert!(list.contains(&format!("<tr><th>a</th><td>{cells}</td></tr>")), "{list}");
    }
}
