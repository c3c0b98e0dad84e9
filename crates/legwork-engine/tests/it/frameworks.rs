//! Events and values reach the handlers of the frameworks that pages are built with.

use std::path::Path;
use std::time::Duration;

use legwork_engine::{Acting, Choice, Click, Target};

use crate::support::{Reply, Rig, Site, told};

/// The same small form in each: a name that is greeted, a box, a list, and a button that sums up.
const REACT: &str = r#"<div id=root></div>
<script src=/react/umd/react.production.min.js></script>
<script src=/react-dom/umd/react-dom.production.min.js></script>
<script>
const e = React.createElement;
function Form() {
  const [name, setName] = React.useState('');
  const [news, setNews] = React.useState(false);
  const [size, setSize] = React.useState('S');
  const [said, say] = React.useState('');
  return e('div', null,
    e('label', null, 'Name ', e('input', { value: name, onChange: (v) => setName(v.target.value) })),
    e('label', null, e('input', { type: 'checkbox', checked: news, onChange: (v) => setNews(v.target.checked) }), ' News'),
    e('label', null, 'Size ', e('select', { value: size, onChange: (v) => setSize(v.target.value) },
      e('option', null, 'S'), e('option', null, 'L'))),
    e('button', { onClick: () => say(`${name} ${news} ${size}`) }, 'Send'), e('p', null, said));
}
ReactDOM.createRoot(document.getElementById('root')).render(e(Form));
</script>"#;

const VUE: &str = r#"<div id=root>
<label>Name <input v-model="name"></label><label><input type=checkbox v-model="news"> News</label>
<label>Size <select v-model="size"><option>S</option><option>L</option></select></label>
<button @click="said = name + ' ' + news + ' ' + size">Send</button><p>{{ said }}</p></div>
<script src=/vue/dist/vue.global.prod.js></script>
<script>Vue.createApp({ data: () => ({ name: '', news: false, size: 'S', said: '' }) }).mount('#root')</script>"#;

const ANGULAR: &str = r#"<div ng-app ng-init="news=false;size='S'">
<label>Name <input ng-model="name"></label><label><input type=checkbox ng-model="news"> News</label>
<label>Size <select ng-model="size"><option>S</option><option>L</option></select></label>
<button ng-click="said = name + ' ' + news + ' ' + size">Send</button><p>{{ said }}</p></div>
<script src=/angular/angular.min.js></script>"#;

#[tokio::test]
async fn react_vue_and_angular_see_what_is_typed_chosen_and_clicked() {
    let modules =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/frameworks/node_modules");
    assert!(modules.exists(), "the frameworks are missing: run `scripts/setup --tests` first");
    let site = Site::start(move |request| match request.path.as_str() {
        "/page/react" => Reply::Html(REACT.into()),
        "/page/vue" => Reply::Html(VUE.into()),
        "/page/angular" => Reply::Html(ANGULAR.into()),
        path => match std::fs::read(modules.join(path.trim_start_matches('/'))) {
            Ok(body) => {
                let headers = vec![("Content-Type", "text/javascript; charset=utf-8".to_owned())];
                Reply::Full { status: "200 OK", headers, body }
            }
            Err(_) => Reply::NotFound,
        },
    })
    .await;
    let rig = Rig::new().await;
    let acting = Acting::default();
    for framework in ["react", "vue", "angular"] {
        let url = site.url(&format!("/page/{framework}"));
        rig.page.navigate(&url, Duration::from_secs(15)).await.unwrap();
        rig.page.fill(&Target::parse("Name"), "Ann", &acting).await.unwrap();
        rig.page.type_text(&Target::parse("Name"), "a", false, &acting).await.unwrap();
        rig.page.check(&Target::parse("News"), true, &acting).await.unwrap();
        let large = [Choice::Label("L".into())];
        rig.page.select(&Target::parse("Size"), &large, &acting).await.unwrap();
        let outcome = rig.page.click(&Target::parse("Send"), &Click::default()).await.unwrap();
        assert!(outcome.change.contains("Anna true L"), "{framework}: {}", told(&outcome));
    }
    rig.end().await;
}
