//! `Emulation`: the device that a page believes to be on.

use crate::page::Viewport;

protocol! { "Emulation";
    command SetDeviceMetricsOverride = "setDeviceMetricsOverride" {
        width: i64,
        height: i64,
        device_scale_factor: f64,
        mobile: bool,
        scale?: f64,
        screen_width?: i64,
        screen_height?: i64,
        position_x?: i64,
        position_y?: i64,
        dont_set_visible_size?: bool,
        screen_orientation?: ScreenOrientation,
        viewport?: Viewport,
        scrollbar_type?: String,
        screen_orientation_lock_emulation?: bool,
        viewport_meta?: String,
        text_layout_mode?: String,
    }

    command SetFocusEmulationEnabled = "setFocusEmulationEnabled" { enabled: bool }

    command SetTouchEmulationEnabled = "setTouchEmulationEnabled" {
        enabled: bool,
        max_touch_points?: i64,
    }

    type ScreenOrientation = "ScreenOrientation" { kind as "type": String, angle: i64 }
}
