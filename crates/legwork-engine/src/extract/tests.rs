use super::*;

const BASE: &str = "https://shop.test/fruit/index.html";

fn convert(html: &str, mode: Mode) -> Extract {
    markdown(html, &Url::parse(BASE).expect("a URL"), mode)
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(convert(html, Mode::Whole).markdown.trim_end(), expected, "{html}");
}

#[test]
fn headings_and_paragraphs_keep_their_emphasis() {
    check("<h1>A <em>b</em></h1><p>c</p>d<h3>e</h3>", "# A *b*\n\nc\n\nd\n\n### e");
    check("<p><b>bold </b>and <i> italic</i>.</p>", "**bold** and *italic*.");
    check("<p><b>one</b><strong>two</strong></p>", "**onetwo**");
    check("<p><b><strong>once</strong></b></p>", "**once**");
    check("<p>H<sub>2</sub>O <del>old</del> a<sup>[1]</sup></p>", "H<sub>2</sub>O ~~old~~ a[1]");
    check("<p>a<br>b <br/> c</p>", "a  \nb  \nc");
    check("<b><p>para</p></b>", "para");
}

#[test]
fn white_space_is_that_of_the_reader_not_of_the_source() {
    check("<p>\n  a\n  <b>b</b>\n\tc  </p>\n\n<p> d</p>", "a **b** c\n\nd");
    check("<div>a</div>b<div>c</div>", "a\n\nb\n\nc");
    check("<p>a&nbsp;b</p>", "a\u{a0}b");
}

#[test]
fn lists_nest_and_count() {
    check(
        "<ul><li>one<ul><li>in</li></ul></li><li><p>two</p><p>more</p></li><li></li></ul>",
        "- one\n  - in\n- two\n\n  more",
    );
    check("<ol start=9><li>a<li>b</ol>", "9. a\n10. b");
    check("<ul><li><ol><li>x</ol></ul>", "- 1. x");
    check("<p>a</p><ul><li>b</ul><p>c</p>", "a\n\n- b\n\nc");
    check(
        "<ul><li><input type=checkbox checked>done<li><input type=checkbox>open</ul>",
        "- [x] done\n- [ ] open",
    );
    check("<dl><dt>Term</dt><dd>Meaning</dd></dl>", "**Term**\n: Meaning");
}

#[test]
fn quotations_put_their_mark_before_every_line() {
    check("<p>a</p><blockquote><p>b</p><p>c</p></blockquote>", "a\n\n> b\n>\n> c");
    check("<blockquote><ul><li>x<li>y</ul></blockquote>", "> - x\n> - y");
}

#[test]
fn tables_keep_head_row_heads_and_spans() {
    check(
        "<table><thead><tr><th>A<th>B</thead><tr><th>r<td>1|2<tr><td colspan=2>wide</table>",
        "| A | B |\n| --- | --- |\n| r | 1\\|2 |\n| wide | |",
    );
    check(
        "<table><tr><th>A<th>B<tr><td rowspan=2>x<td>1<tr><td>2</table>",
        "| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |",
    );
    check(
        "<table><caption>Prices</caption><tr><td>a<td><p>1</p><p>2</p><tr><td>b<td>c<br>d</table>",
        "**Prices**\n\n| | |\n| --- | --- |\n| a | 1<br>2 |\n| b | c<br>d |",
    );
}

#[test]
fn tables_that_only_lay_out_a_page_are_not_tables() {
    check("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd");
    check("<table><tr><td>menu<td>text</table>", "menu\n\ntext");
    check("<table><tr><td>only<tr><td>column</table>", "only\n\ncolumn");
}

#[test]
fn a_table_with_absurd_spans_stays_small() {
    let html = "<table><tr><td colspan=99999999 rowspan=99999999>a<td>b<tr><td>c</table>";
    assert!(convert(html, Mode::Whole).markdown.len() < 2000);
}

#[test]
fn code_blocks_keep_their_text_and_language() {
    let block = |open: &str| convert(&format!("{open}let a;\n  b\n</pre>"), Mode::Whole).markdown;
    let expected = |language: &str| format!("```{language}\nlet a;\n  b\n```\n");
    assert_eq!(block("<pre><code class='language-rust x'>"), expected("rust"));
    assert_eq!(block("<pre class='brush: js; toolbar'>"), expected("js"));
    assert_eq!(block("<pre lang=c data-lang=c>"), expected("c"));
    assert_eq!(block("<div class='highlight-python3'><div><pre>"), expected("python3"));
    assert_eq!(block("<pre class='highlight'>"), expected(""));
    check("<pre>a ``` b</pre>", "````\na ``` b\n````");
    check("<p>x <code>a `b`</code> <kbd>F1</kbd></p>", "x `` a `b` `` `F1`");
    check("<pre>a<br>b</pre>", "```\na\nb\n```");
    check("<ul><li>x<pre>y\nz</pre></ul>", "- x\n\n  ```\n  y\n  z\n  ```");
}

#[test]
fn links_and_images_are_resolved() {
    check("<a href='../a b?x=1'>t</a>", "[t](https://shop.test/a%20b?x=1)");
    check("<a href=#top>up</a>", "[up](https://shop.test/fruit/index.html#top)");
    check("<a href='x_(y)'>t</a>", "[t](<https://shop.test/fruit/x_(y)>)");
    check("<img src=/i.png alt='An  apple'>", "![An apple](https://shop.test/i.png)");
    check("<a href=x><img src=i.png alt=a></a>", {
        "[![a](https://shop.test/fruit/i.png)](https://shop.test/fruit/x)"
    });
    check("<a href=x aria-label=Cart></a>", "[Cart](https://shop.test/fruit/x)");
    check("<img data-src=late.png src='data:image/gif;base64,R0'>", {
        "![](https://shop.test/fruit/late.png)"
    });
    check("<a href='javascript:go()'>Go</a> <a>plain</a>", "Go plain");
    check("<div>x<a href=y><h3>Head</h3><p>text</p></a>z", {
        "x [Head text](https://shop.test/fruit/y) z"
    });
    let based = "<head><base href='https://cdn.test/v1/'></head><a href=x>t</a>";
    check(based, "[t](https://cdn.test/v1/x)");
}

#[test]
fn signs_that_only_link_to_their_heading_are_left_out() {
    check("<h2>Use<a href=#use>¶</a></h2>", "## Use");
    check("<h2><a href=#use>#</a> Use</h2>", "## Use");
}

#[test]
fn what_cannot_be_seen_is_left_out() {
    for hidden in [
        "<script>x</script>",
        "<style>x</style>",
        "<noscript><p>x</p></noscript>",
        "<template>x</template>",
        "<p hidden>x</p>",
        "<div style='color:red; Display : none !important'><p>x</p></div>",
        "<span style='visibility:hidden'>x</span>",
        "<dialog>x</dialog>",
        "<svg><text>x</text></svg>",
        "<!-- x -->",
        "<img width=1 height=1 src=x.gif alt=x>",
    ] {
        check(&format!("<p>a</p>{hidden}<p>b</p>"), "a\n\nb");
        assert_eq!(text(&format!("<p>a</p>{hidden}<p>b</p>")), "a\n\nb\n");
    }
    check("<dialog open>seen</dialog>", "seen");
}

#[test]
fn values_of_fields_are_left_out() {
    let fields =
        "<input value=hunter2><textarea>hunter2</textarea><input type=password value=hunter2>";
    check(&format!("<form>Name {fields}<button>Send</button></form>"), "Name Send");
    assert!(!text(fields).contains("hunter2"));
}

#[test]
fn text_is_never_taken_for_markup() {
    check("<p>1. a</p><p># b</p><p>- c</p><p>&gt; d</p>", "1\\. a\n\n\\# b\n\n\\- c\n\n\\> d");
    check("<p>2 * 3 * 4, *a*, snake_case, _b_</p>", "2 * 3 * 4, \\*a\\*, snake_case, \\_b\\_");
    check("<p>&lt;b&gt; a &lt; b `c`</p>", "\\<b> a < b \\`c\\`");
    check("<p>[a](b) [1]</p>", "[a]\\(b) [1]");
    check("<a href=x>a]b</a>", "[a\\]b](https://shop.test/fruit/x)");
}

#[test]
fn the_title_is_a_heading_where_the_page_has_none() {
    let with = convert("<title> A\n* B</title><p>text</p>", Mode::Whole);
    assert_eq!(with.title.as_deref(), Some("A * B"));
    assert_eq!(with.markdown, "# A * B\n\ntext\n");
    let own = convert("<title>T</title><h1>Own</h1>", Mode::Whole);
    assert_eq!((own.title.as_deref(), own.markdown.as_str()), (Some("T"), "# Own\n"));
    assert_eq!(convert("<h1>Head</h1>", Mode::Whole).title.as_deref(), Some("Head"));
    assert_eq!(
        convert("", Mode::Article),
        Extract { title: None, markdown: String::new(), mode: Mode::Whole }
    );
}

fn article_page() -> String {
    let sentence = "The orchard was planted in 1911, on the slope above the river, by hand. ";
    let paragraphs = format!("<p>{}</p>", sentence.repeat(6)).repeat(5);
    format!(
        "<title>Apples - Orchard News</title><nav><a href=/>Home</a><a href=/shop>Shop</a></nav>\
         <article><h1>Apples</h1>{paragraphs}<pre><code class=language-sh>ls</code></pre>\
         <p>See <a href=pears>pears</a>, which were {}</p></article>\
         <aside class=sidebar><ul><li><a href=/ad>Buy now</a></ul></aside><footer>Imprint</footer>",
        sentence.repeat(2)
    )
}

#[test]
fn an_article_comes_without_the_page_around_it() {
    let page = article_page();
    let article = convert(&page, Mode::Article);
    assert_eq!(article.mode, Mode::Article);
    assert!(article.markdown.starts_with("# Apples"), "{}", article.markdown);
    assert!(article.markdown.contains("```sh\nls\n```"));
    assert!(article.markdown.contains("[pears](https://shop.test/fruit/pears)"));
    for around in ["Home", "Buy now", "Imprint"] {
        assert!(!article.markdown.contains(around), "{around} is in:\n{}", article.markdown);
        assert!(convert(&page, Mode::Whole).markdown.contains(around));
    }
}

#[test]
fn a_page_without_an_article_is_given_whole_and_says_so() {
    let page = "<title>Sign in</title><form><label>Name <input></label><button>Go</button></form>";
    let extract = convert(page, Mode::Article);
    assert_eq!(extract.mode, Mode::Whole);
    assert_eq!(extract.markdown, "# Sign in\n\nName Go\n");
}

#[test]
fn plain_text_has_no_markup() {
    let html = "<h2>A *b*</h2><ul><li>x <a href=y>link</a></ul><table><tr><th>k<th>v<tr><td>1<td>2\
                </table><pre>code\n  in</pre><img src=i.png alt=picture>";
    assert_eq!(text(html), "A *b*\n\n- x link\n\nk\tv\n1\t2\n\ncode\n  in\n\npicture\n");
}

#[test]
fn elements_nested_without_end_neither_overflow_nor_hide_their_text() {
    let html = format!("{}deep{}", "<div><b>".repeat(700), "</b></div>".repeat(700));
    for mode in [Mode::Article, Mode::Whole] {
        assert!(convert(&html, mode).markdown.contains("deep"));
    }
    assert!(text(&html).contains("deep"));
}
