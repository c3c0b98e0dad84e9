use super::*;

#[test]
fn a_name_tells_what_a_model_can_do() {
    let check = |name: &str, points: bool, schema: bool| {
        assert_eq!(Family::of(name), Family { points, schema }, "{name}");
    };
    check("claude-opus-5-5", true, true);
    check("claude-sonnet-5", true, true);
    check("claude-fable-5-1", true, true);
    check("claude-opus-4-8", true, true);
    check("claude-opus-4-7", false, true);
    check("claude-sonnet-4-5-20250929", false, true);
    check("claude-sonnet-4-20250514", false, false);
    check("claude-3-7-sonnet-20250219", false, false);
    check("anthropic.claude-opus-5", true, true);
    check("claude-new", false, true);
}

#[test]
fn a_refusal_is_answered_with_less_only_where_that_was_used() {
    let refused = |message: &str| ModelError::Refused {
        model: "m".into(),
        status: 400,
        message: message.into(),
    };
    let all = Means { force: true, thoughts: true };
    let must = Request { must_call: true, ..Request::default() };
    let forced = refused("tool_choice: forced tool use is not supported");
    let unforced = Means { force: false, thoughts: true };
    assert_eq!(all.instead(&forced, &must), Some(unforced));
    assert_eq!(unforced.instead(&forced, &must), None);
    assert_eq!(all.instead(&forced, &Request::default()), None);
    assert_eq!(all.instead(&refused("thinking blocks"), &must), None, "there are none");
    let raw = json!({ RAW: [{ "type": "thinking" }] });
    let thought = Answer { raw: Some(Arc::new(raw)), ..Answer::default() };
    let thoughtful = Request { turns: vec![Turn::Model(thought)], ..Request::default() };
    let thoughtless = Some(Means { force: true, thoughts: false });
    assert_eq!(all.instead(&refused("thinking blocks"), &thoughtful), thoughtless);
    let other =
        ModelError::Unavailable { model: "m".into(), tries: 5, message: "tool_choice".into() };
    assert_eq!(all.instead(&other, &must), None);
}
