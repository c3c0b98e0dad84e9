//! Events and values reach the handlers of the frameworks that pages are built with.

use std::path::Path;
use std::time::Duration;

use legwork_engine::{Acting, Choice, Click, Target};

use crate::support::{Reply, Rig, Site, told};

/// The same small form in each: a name that is greeted, a box, a list, a day, a slider, and a button that sums up.
const REACT: &str = r#"<div id=root></div>
<script src=/react/umd/react.production.min.js></script>
<script src=/react-dom/umd/react-dom.production.min.js></script>
<script>
const e = React.createElement;
function Form() {
  const [name, setName] = React.useState('');
  const [news, setNews] = React.useState(false);
  const [size, setSize] = React.useState('S');
  const [day, setDay] = React.useState('');
  const [level, setLevel] = React.useState('5');
  const [said, say] = React.useState('');
  return e('div', null,
    e('label', null, 'Name ', e('input', { value: name, onChange: (v) => setName(v.target.value) })),
    e('label', null, e('input', { type: 'checkbox', checked: news, onChange: (v) => setNews(v.target.checked) }), ' News'),
    e('label', null, 'Size ', e('select', { value: size, onChange: (v) => setSize(v.target.value) },
      e('option', null, 'S'), e('option', null, 'L'))),
    e('label', null, 'Day ', e('input', { type: 'date', value: day, onChange: (v) => setDay(v.target.value) })),
    e('label', null, 'Level ', e('input', { type: 'range', value: level, onChange: (v) => setLevel(v.target.value) })),
    e('button', { onClick: () => say(`${name} ${news} ${size} ${day} ${level}`) }, 'Send'), e('p', null, said));
}
ReactDOM.createRoot(document.getElementById('root')).render(e(Form));
</script>"#;

const VUE: &str = r#"<div id=root>
<label>Name <input v-model="name"></label><label><input type=checkbox v-model="news"> News</label>
<label>Size <select v-model="size"><option>S</option><option>L</option></select></label>
<label>Day <input type=date v-model="day"></label><label>Level <input type=range v-model="level"></label>
<button @click="said = name + ' ' + news + ' ' + size + ' ' + day + ' ' + level">Send</button><p>{{ said }}</p></div>
<script src=/vue/dist/vue.global.prod.js></script>
<script>Vue.createApp({ data: () => ({ name: '', news: false, size: 'S', day: '', level: 5, said: '' }) }).mount('#root')</script>"#;

const ANGULARJS: &str = r#"<div ng-app="f" ng-init="news=false;size='S';level='5'">
<label>Name <input ng-model="name"></label><label><input type=checkbox ng-model="news"> News</label>
<label>Size <select ng-model="size"><option>S</option><option>L</option></select></label>
<label>Day <input type=date ng-model="day"></label><label>Level <input type=range ng-model="level"></label>
<button ng-click="said = name + ' ' + news + ' ' + size + ' ' + (day | date: 'yyyy-MM-dd') + ' ' + level">Send</button><p>{{ said }}</p></div>
<script src=/angular/angular.min.js></script><script>angular.module('f', [])</script>"#;

const ANGULAR: &str = r#"<script type=importmap>{"imports": {
"@angular/core": "/@angular/core/fesm2022/core.mjs",
"@angular/core/primitives/signals": "/@angular/core/fesm2022/primitives-signals.mjs",
"@angular/core/primitives/di": "/@angular/core/fesm2022/primitives-di.mjs",
"@angular/core/primitives/event-dispatch": "/@angular/core/fesm2022/primitives-event-dispatch.mjs",
"@angular/common": "/@angular/common/fesm2022/common.mjs",
"@angular/common/http": "/@angular/common/fesm2022/http.mjs",
"@angular/compiler": "/@angular/compiler/fesm2022/compiler.mjs",
"@angular/platform-browser": "/@angular/platform-browser/fesm2022/platform-browser.mjs",
"@angular/forms": "/@angular/forms/fesm2022/forms.mjs",
"tslib": "/tslib/tslib.es6.mjs", "rxjs": "/rxjs/dist/esm/index.js", "rxjs/operators": "/rxjs/dist/esm/operators/index.js"}}</script>
<app-form></app-form>
<script type=module>
import '@angular/compiler';
import { Component, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { FormsModule } from '@angular/forms';
class Form { name = ''; news = false; size = 'S'; day = ''; level = 5; said = ''; }
Component({ selector: 'app-form', imports: [FormsModule], template: `
<label>Name <input name=name [(ngModel)]="name"></label><label><input type=checkbox name=news [(ngModel)]="news"> News</label>
<label>Size <select name=size [(ngModel)]="size"><option>S</option><option>L</option></select></label>
<label>Day <input type=date name=day [(ngModel)]="day"></label><label>Level <input type=range name=level [(ngModel)]="level"></label>
<button (click)="said = name + ' ' + news + ' ' + size + ' ' + day + ' ' + level">Send</button><p>{{ said }}</p>` })(Form);
bootstrapApplication(Form, { providers: [provideZonelessChangeDetection()] });
</script>"#;

#[tokio::test]
async fn react_vue_and_angular_see_what_is_typed_chosen_and_clicked() {
    let modules =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/frameworks/node_modules");
    assert!(modules.exists(), "the frameworks are missing: run `scripts/setup --tests` first");
    let site = Site::start(move |request| match request.path.as_str() {
        "/page/react" => Reply::Html(REACT.into()),
        "/page/vue" => Reply::Html(VUE.into()),
        "/page/angularjs" => Reply::Html(ANGULARJS.into()),
        "/page/angular" => Reply::Html(ANGULAR.into()),
        path => match module(&modules.join(path.trim_start_matches('/'))) {
            Some(body) => {
                let headers = vec![("Content-Type", "text/javascript; charset=utf-8".to_owned())];
                Reply::Full { status: "200 OK", headers, body }
            }
            None => Reply::NotFound,
        },
    })
    .await;
    let rig = Rig::new().await;
    let acting = Acting::default();
    for framework in ["react", "vue", "angular", "angularjs"] {
        let url = site.url(&format!("/page/{framework}"));
        rig.page.navigate(&url, Duration::from_secs(15)).await.unwrap();
        rig.page.fill(&Target::parse("Name"), "Ann", &acting).await.unwrap();
        rig.page.type_text(&Target::parse("Name"), "a", false, &acting).await.unwrap();
        rig.page.check(&Target::parse("News"), true, &acting).await.unwrap();
        let large = [Choice::Label("L".into())];
        rig.page.select(&Target::parse("Size"), &large, &acting).await.unwrap();
        rig.page.fill(&Target::parse("Day"), "2026-11-19", &acting).await.unwrap();
        rig.page.fill(&Target::parse("Level"), "70", &acting).await.unwrap();
        let outcome = rig.page.click(&Target::parse("Send"), &Click::default()).await.unwrap();
        assert!(
            outcome.change.contains("Anna true L 2026-11-19 70"),
            "{framework}: {}",
            told(&outcome)
        );
    }
    rig.end().await;
}

/// A file of a package. Modules name others without their ending, or by their folder.
fn module(path: &Path) -> Option<Vec<u8>> {
    let named = [path.to_owned(), path.with_extension("js"), path.join("index.js")];
    named.iter().find_map(|path| std::fs::read(path).ok())
}
