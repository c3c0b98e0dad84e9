//! `Runtime`: JavaScript: contexts, evaluation, objects, the console.

use serde_json::value::RawValue;

use crate::id::{ExecutionContextId, FrameId, ObjectId, ScriptId};

protocol! { "Runtime";
    command Enable = "enable" {}

    command Evaluate = "evaluate" {
        expression: String,
        object_group?: String,
        include_command_line_api as "includeCommandLineAPI"?: bool,
        silent?: bool,
        context_id?: ExecutionContextId,
        return_by_value?: bool,
        generate_preview?: bool,
        user_gesture?: bool,
        await_promise?: bool,
        throw_on_side_effect?: bool,
        timeout?: f64,
        disable_breaks?: bool,
        repl_mode?: bool,
        allow_unsafe_eval_blocked_by_csp as "allowUnsafeEvalBlockedByCSP"?: bool,
        unique_context_id?: String,
    }
        -> EvaluateReply { result: RemoteObject, exception_details?: ExceptionDetails }

    command CallFunctionOn = "callFunctionOn" {
        function_declaration: String,
        object_id?: ObjectId,
        arguments?: Vec<CallArgument>,
        silent?: bool,
        return_by_value?: bool,
        generate_preview?: bool,
        user_gesture?: bool,
        await_promise?: bool,
        execution_context_id?: ExecutionContextId,
        object_group?: String,
        throw_on_side_effect?: bool,
        unique_context_id?: String,
    }
        -> CallFunctionOnReply { result: RemoteObject, exception_details?: ExceptionDetails }

    command GetProperties = "getProperties" {
        object_id: ObjectId,
        own_properties?: bool,
        accessor_properties_only?: bool,
        generate_preview?: bool,
        non_indexed_properties_only?: bool,
    }
        -> GetPropertiesReply {
            result: Vec<PropertyDescriptor>,
            exception_details?: ExceptionDetails,
        }

    command ReleaseObject = "releaseObject" { object_id: ObjectId }

    command ReleaseObjectGroup = "releaseObjectGroup" { object_group: String }

    command AddBinding = "addBinding" { name: String, execution_context_name?: String }

    command RunIfWaitingForDebugger = "runIfWaitingForDebugger" {}

    command TerminateExecution = "terminateExecution" {}

    event ExecutionContextCreated = "executionContextCreated" {
        context: ExecutionContextDescription,
    }

    event ExecutionContextDestroyed = "executionContextDestroyed" {
        execution_context_unique_id: String,
    }

    event ExecutionContextsCleared = "executionContextsCleared" {}

    event ConsoleApiCalled = "consoleAPICalled" {
        kind as "type": String,
        args: Vec<RemoteObject>,
        execution_context_id: ExecutionContextId,
        timestamp: f64,
        stack_trace?: StackTrace,
        context?: String,
    }

    event ExceptionThrown = "exceptionThrown" {
        timestamp: f64,
        exception_details: ExceptionDetails,
    }

    event BindingCalled = "bindingCalled" {
        name: String,
        payload: String,
        execution_context_id: ExecutionContextId,
    }

    type RemoteObject = "RemoteObject" {
        kind as "type": String,
        subtype?: String,
        class_name?: String,
        #[serde(deserialize_with = "crate::protocol::present")]
        value?: Box<RawValue>,
        unserializable_value?: String,
        description?: String,
        object_id?: ObjectId,
    }

    type ExceptionDetails = "ExceptionDetails" {
        exception_id: i64,
        text: String,
        line_number: i64,
        column_number: i64,
        script_id?: ScriptId,
        url?: String,
        stack_trace?: StackTrace,
        exception?: RemoteObject,
        execution_context_id?: ExecutionContextId,
    }

    type StackTrace = "StackTrace" {
        description?: String,
        call_frames: Vec<CallFrame>,
        parent?: Box<StackTrace>,
    }

    type CallFrame = "CallFrame" {
        function_name: String,
        script_id: ScriptId,
        url: String,
        line_number: i64,
        column_number: i64,
    }

    type PropertyDescriptor = "PropertyDescriptor" {
        name: String,
        value?: RemoteObject,
        writable?: bool,
        get?: RemoteObject,
        set?: RemoteObject,
        configurable: bool,
        enumerable: bool,
        was_thrown?: bool,
        is_own?: bool,
        symbol?: RemoteObject,
    }

    type CallArgument = "CallArgument" {
        value?: Box<RawValue>,
        unserializable_value?: String,
        object_id?: ObjectId,
    }

    type ExecutionContextDescription = "ExecutionContextDescription" {
        id: ExecutionContextId,
        origin: String,
        name: String,
        unique_id: String,
        aux_data?: ContextData,
    }

    shape ContextData = "What Chrome says of a context: its frame, and whether it is the page's." {
        frame_id?: FrameId,
        is_default?: bool,
        kind as "type"?: String,
    }
}
