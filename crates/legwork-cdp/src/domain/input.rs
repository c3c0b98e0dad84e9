//! `Input`: mouse, keyboard and drag, as from a user.

protocol! { "Input";
    command DispatchMouseEvent = "dispatchMouseEvent" {
        kind as "type": String,
        x: f64,
        y: f64,
        modifiers?: i64,
        timestamp?: f64,
        button?: String,
        buttons?: i64,
        click_count?: i64,
        force?: f64,
        tangential_pressure?: f64,
        tilt_x?: f64,
        tilt_y?: f64,
        twist?: i64,
        delta_x?: f64,
        delta_y?: f64,
        pointer_type?: String,
    }

    command DispatchKeyEvent = "dispatchKeyEvent" {
        kind as "type": String,
        modifiers?: i64,
        timestamp?: f64,
        text?: String,
        unmodified_text?: String,
        key_identifier?: String,
        code?: String,
        key?: String,
        windows_virtual_key_code?: i64,
        native_virtual_key_code?: i64,
        auto_repeat?: bool,
        is_keypad?: bool,
        is_system_key?: bool,
        location?: i64,
        commands?: Vec<String>,
    }

    command InsertText = "insertText" { text: String }

    command DispatchDragEvent = "dispatchDragEvent" {
        kind as "type": String,
        x: f64,
        y: f64,
        data: DragData,
        modifiers?: i64,
    }

    command SetInterceptDrags = "setInterceptDrags" { enabled: bool }

    event DragIntercepted = "dragIntercepted" { data: DragData }

    type DragData = "DragData" {
        items: Vec<DragDataItem>,
        files?: Vec<String>,
        drag_operations_mask: i64,
    }

    type DragDataItem = "DragDataItem" {
        mime_type: String,
        data: String,
        title?: String,
        base_url as "baseURL"?: String,
    }
}
