//! Instructions as people write them, and the tasks they are.

use legwork_protocol::assistant::TaskContext;

use super::super::{Understood, by_grammar};
use super::check;

fn at_shop() -> TaskContext {
    TaskContext { current_url: "https://shop.example/cart".into(), ..Default::default() }
}

#[test]
fn going_somewhere() {
    check(
        &at_shop(),
        &[
            ("go to example.com", "goto https://example.com"),
            ("Open https://example.com/a?b=c#d.", "goto https://example.com/a?b=c#d"),
            ("visit localhost:3000", "goto http://localhost:3000"),
            ("navigate to the page 127.0.0.1:8080/login", "goto http://127.0.0.1:8080/login"),
            ("go to /orders", "goto https://shop.example/orders"),
            (
                "go to localhost:3000, then open /login",
                "goto http://localhost:3000; goto http://localhost:3000/login",
            ),
            ("go back", "navigate Back"),
            ("Please go back to the previous page", "navigate Back"),
            ("go forward and reload the page", "navigate Forward; navigate Reload"),
            ("refresh", "navigate Reload"),
            ("reload the page now", "navigate Reload"),
            ("switch to tab 2", "navigate Tab(2)"),
            ("switch to the third browser tab", "navigate Tab(3)"),
            ("could you go to example.com please?", "goto https://example.com"),
        ],
    );
}

#[test]
fn pointing_at_things() {
    check(
        &at_shop(),
        &[
            ("click Log in", "click Log in"),
            ("click the Log in button", "click Log in button"),
            ("click Pay now", "click Pay now"),
            ("click Sign up now, please", "click Sign up now"),
            ("Click on the \"ok\" button.", "click \"ok\" button"),
            ("press “Sign up”", "click \"Sign up\""),
            ("tap 'Save changes'", "click \"Save changes\""),
            ("hit submit", "click submit"),
            ("Click button ONE, then click button TWO.", "click button ONE; click button TWO"),
            ("Click on Tab #1.", "click Tab #1"),
            ("click the button", "click the button"),
            ("expand the section below", "click the section"),
            ("click on a \"textarea\" widget", "click first textarea"),
            ("click the 2nd checkbox", "click 2nd checkbox"),
            ("click the last Remove", "click last Remove"),
            ("click Remove in the row with Oat milk", "click Remove in the row with Oat milk"),
            ("click Edit in the Address section", "click Edit in Address"),
            ("click Edit next to Address", "click Edit next to Address"),
            ("click the button in the dialog box labeled \"Cancel\"", "click \"Cancel\" button"),
            ("click the item labeled \"Prev\"", "click \"Prev\""),
            ("find and click on the folder or file named \"Livia\"", "click \"Livia\""),
            ("click the radio button Monthly", "click Monthly radio"),
            ("double-click \"report.pdf\"", "double \"report.pdf\""),
            ("right click the second row", "right second row"),
            ("hover over Products", "hover Products"),
            ("click `#save > .btn`", "click #save > .btn"),
            ("click #save", "click #save"),
            ("click e12", "click e12"),
            ("click Add to cart", "click Add to cart"),
            ("click Terms of service", "click Terms of service"),
            ("click Show all", "click Show all"),
            ("open Settings", "click Settings"),
            ("open File > Export", "click File; click Export"),
            ("switch to the Billing tab", "click Billing tab"),
            ("close the dialog", "click Close"),
            (
                "click \"Save\", \"Next\" and \"Finish\"",
                "click \"Save\"; click \"Next\"; click \"Finish\"",
            ),
            ("click the Save button and the Close button", "click Save button; click Close button"),
            ("click the trash icon to delete it", "click trash icon"),
            (
                "For the user @kenda, click on the \"Like\" button.",
                "click \"Like\" button next to @kenda",
            ),
            ("click Next until Oslo appears", "click Next until Visible(\"Oslo\")"),
            (
                "press the \"Load more\" button until \"Page 3\" is there, then click it",
                "click \"Load more\" button until Visible(\"\\\"Page 3\\\"\"); click \"Page 3\"",
            ),
            ("tap Dismiss until the Notice is gone", "click Dismiss until Gone(\"Notice\")"),
            ("drag Item 1 onto Done", "drag Item 1 onto Done"),
            ("drag and drop \"a.txt\" into the Files panel", "drag \"a.txt\" onto Files"),
        ],
    );
}

#[test]
fn putting_something_in() {
    check(
        &at_shop(),
        &[
            ("type admin@test.com into Email", "Email <- text admin@test.com"),
            (
                "Enter \"Bernardine\" into the text field and press Submit.",
                "the textbox <- text Bernardine; click Submit",
            ),
            ("enter 'New York, NY' in the \"From\" field", "\"From\" field <- text New York, NY"),
            (
                "fill Email with jane@example.com and Password with {{secret:SHOP}}",
                "Email <- text jane@example.com; Password <- text {{secret:SHOP}}",
            ),
            ("fill in the Name field with Jane Doe", "Name field <- text Jane Doe"),
            ("set Quantity to 3", "Quantity <- text 3"),
            ("change the Title to \"Hello, world\"", "Title <- text Hello, world"),
            (
                "Enter the username \"keli\" and the password \"3hI\" into the text fields and press login.",
                "username <- text keli; password <- text 3hI; click login",
            ),
            (
                "Enter the password \"Q3h\" into both text fields and press submit.",
                "first textbox <- text Q3h; last textbox <- text Q3h; click submit",
            ),
            ("Enter 8:22 AM as the time", "the time <- text 8:22 AM"),
            (
                "Type \"bernardine\" in all upper case letters in the text input",
                "the textbox <- text BERNARDINE",
            ),
            ("enter the number \"16\" into the 3rd textbox", "3rd textbox <- text 16"),
            (
                "Use the textbox to enter \"Jerald\" and press \"Search\"",
                "the textbox <- text Jerald; click \"Search\"",
            ),
            (
                "click Search, type oat milk and press Enter",
                "click Search; Search <- text oat milk; - <- key Enter",
            ),
            ("clear the Search box", "the search field <- text "),
            ("type \"\" into Notes", "Notes <- text "),
            ("type rock and roll into Genre", "Genre <- text rock and roll"),
            ("select Large from Size", "Size <- options Large"),
            (
                "Select Miguelita, Lolita from the scroll list and click Submit.",
                "the dropdown <- options Miguelita/Lolita; click Submit",
            ),
            (
                "Choose 5ft 10in from the dropdown, then click the button labeled \"No\".",
                "the dropdown <- options 5ft 10in; click \"No\" button",
            ),
            ("pick \"June\" in the Month drop-down", "Month dropdown <- options June"),
            (
                "Select ZMhn, LU, QMz and click Submit.",
                "click ZMhn; click LU; click QMz; click Submit",
            ),
            ("Select nothing and click Submit.", "click Submit"),
            ("Select 5 with the slider and hit Submit.", "the slider <- text 5; click Submit"),
            ("tick Newsletter", "Newsletter <- checked true"),
            ("check the \"I agree\" checkbox", "\"I agree\" checkbox <- checked true"),
            ("uncheck Remember me", "Remember me <- checked false"),
            ("turn off Notifications", "Notifications <- checked false"),
            ("upload cv.pdf", "css=input[type=file] <- files cv.pdf"),
            ("attach \"my cv.pdf\" to Resume", "Resume <- files my cv.pdf"),
            ("press Enter", "- <- key Enter"),
            ("press ctrl+a", "- <- key Control+A"),
            ("press the Delete key", "- <- key Delete"),
            ("press Escape in the Search field", "the search field <- key Escape"),
            ("press shift + tab", "- <- key Shift+Tab"),
        ],
    );
}

#[test]
fn looking_waiting_and_reading() {
    check(
        &at_shop(),
        &[
            ("scroll down", "scroll - Pixels(600)"),
            ("scroll up by 250 pixels", "scroll - Pixels(-250)"),
            ("scroll to the bottom of the page", "scroll - Bottom"),
            ("Scroll to the bottom of the textarea", "scroll the textarea Bottom"),
            ("scroll the Terms box to the top", "scroll Terms box Top"),
            ("scroll down until you see Contact", "scroll to Contact"),
            ("scroll until \"Load more\" appears", "scroll to \"Load more\""),
            ("wait for Dashboard", "wait Dashboard"),
            ("wait until \"Saved\" is visible", "wait \"Saved\""),
            (
                "wait up to 30 seconds for the Results list to appear",
                "wait Results list to appear within 30s",
            ),
            ("wait until Loading disappears", "wait gone Loading"),
            ("wait for the spinner to go away", "wait gone the spinner"),
            ("wait 2 seconds", "wait Time(\"2s\")"),
            ("wait for 1.5 seconds", "wait Time(\"1500ms\")"),
            ("wait until the page is loaded", "wait Quiet"),
            ("wait until the url contains /orders", "wait Url(\"/orders\")"),
            ("take a screenshot", "read - from - as Picture"),
            ("take a screenshot of the Summary section", "read - from Summary section as Picture"),
            ("read the page", "read - from -"),
            ("extract the page as markdown", "read - from - as Markdown"),
            ("read the text of \"Total\"", "read - from \"Total\""),
            ("extract the prices from the Plans table", "read the prices from Plans table as Data"),
            ("get the order number", "read - from order number"),
            ("read the list", "read - from role=list as Data"),
            ("read the heading", "read - from role=heading"),
            ("extract the prices from the list", "read the prices from role=list as Data"),
            ("read \"list\"", "read - from \"list\" as Data"),
            ("read the shopping list", "read - from shopping list as Data"),
            ("select Large from the list", "the dropdown <- options Large"),
            ("tell me the total and the date", "read the total and the date from -"),
            ("What is the price of Oat milk?", "read What is the price of Oat milk from -"),
        ],
    );
}

#[test]
fn errands_of_several_steps() {
    check(
        &at_shop(),
        &[
            (
                "go to localhost:3000, type admin@test.com into Email, press Log in, wait for Dashboard, take a screenshot",
                "goto http://localhost:3000; Email <- text admin@test.com; click Log in; wait Dashboard; read - from - as Picture",
            ),
            (
                "1. Go to localhost:3000.\n2. Type \"admin\" into User\n3) press Log in\n- wait for \"Welcome, admin\"",
                "goto http://localhost:3000; User <- text admin; click Log in; wait \"Welcome, admin\"",
            ),
            (
                "Do the following:\n* open example.com\n* click More information",
                "goto https://example.com; click More information",
            ),
            (
                "First, go to example.com. After that, click Shop and then, finally, click Cart!",
                "goto https://example.com; click Shop; click Cart",
            ),
            ("click Email, then type a@b.c there", "click Email; Email <- text a@b.c"),
            (
                "click Orders, read \"Order number\", go back, type it into Search",
                "click Orders; read - from \"Order number\"; navigate Back; Search <- text {{result:t2}}",
            ),
            ("find \"Oat milk\" and click it", "scroll to \"Oat milk\"; click \"Oat milk\""),
            (
                "find the row with Oat milk and click Remove",
                "scroll to Oat milk; click Remove next to Oat milk",
            ),
            (
                "Find the email by Helena and click the star icon to mark it as important.",
                "scroll to Helena; click star icon next to Helena",
            ),
            ("search for oat milk", "Search field <- text oat milk + Enter"),
            (
                "search for oat milk on shop.example",
                "goto https://shop.example; Search field <- text oat milk + Enter",
            ),
            (
                "log in as jane@example.com with password {{secret:SHOP}}",
                "Email field <- text jane@example.com; Password field <- text {{secret:SHOP}} + Enter",
            ),
            (
                "sign in to shop.example with username jane and password {{secret:SHOP}}",
                "goto https://shop.example; Username field <- text jane; Password field <- text {{secret:SHOP}} + Enter",
            ),
            (
                "Copy the text in the textarea below, paste it into the text input and press Submit.",
                "read - from the textarea; the textbox <- text {{result:t1}}; click Submit",
            ),
            (
                "Click button ONE, wait 1 seconds, then click button TWO.",
                "click button ONE; wait Time(\"1s\"); click button TWO",
            ),
        ],
    );
}

#[test]
fn what_people_say_day_by_day() {
    check(
        &at_shop(),
        &[
            (
                "Fill in First name with John, Last name with Smith, and Email with john@example.com, then click Submit",
                "First name <- text John; Last name <- text Smith; Email <- text john@example.com; click Submit",
            ),
            (
                "Enter John as First name and Smith as Last name",
                "First name <- text John; Last name <- text Smith",
            ),
            (
                "check the box next to \"I agree to the terms\"",
                "checkbox next to \"I agree to the terms\" <- checked true",
            ),
            ("tick the box", "the checkbox <- checked true"),
            (
                "wait until the spinner is gone, then read the table",
                "wait gone the spinner; read - from the table as Data",
            ),
            ("click the link that says \"Learn more\"", "click \"Learn more\" link"),
            (
                "hover over the profile picture and click Log out",
                "hover profile picture; click Log out",
            ),
            ("drag the card \"Fix bug\" to the Done column", "drag \"Fix bug\" onto Done"),
            (
                "Type hello@x.com in the email field, and secret123 in the password field",
                "email field <- text hello@x.com; password field <- text secret123",
            ),
            (
                "In the Shipping section, choose Express from Method and tick Gift wrap",
                "Method next to Shipping <- options Express; Gift wrap next to Shipping <- checked true",
            ),
            ("for Oat milk, set Quantity to 2", "Quantity next to Oat milk <- text 2"),
            ("get the price of the first item", "read - from price of the first item"),
            ("set the volume slider to 40", "volume slider <- text 40"),
            ("first click Save and second click Close", "click Save; click Close"),
        ],
    );
}

#[test]
fn tasks_depend_on_what_they_need() {
    for (instruction, expected) in [
        ("click A, click B, click C", "t1:; t2:t1; t3:t2"),
        ("click A, read B, click C", "t1:; t2:t1; t3:t1"),
        ("go to a.example, click A, go to b.example, click B", "t1:; t2:t1; t3:; t4:t3"),
        ("go to a.example, click A, go to a.example/x", "t1:; t2:t1; t3:t2"),
        ("go to a.example, read A, go to b.example, type it into B", "t1:; t2:t1; t3:; t4:t2,t3"),
        ("take a screenshot, read A", "t1:; t2:"),
    ] {
        let Understood::Tasks(list) = by_grammar(instruction, &at_shop()) else {
            panic!("{instruction}")
        };
        let told =
            list.tasks.iter().map(|task| format!("{}:{}", task.id, task.dependencies.join(",")));
        assert_eq!(told.collect::<Vec<_>>().join("; "), expected, "{instruction}");
    }
}
