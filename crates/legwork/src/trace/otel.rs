//! Traces for a collector, by the OpenTelemetry protocol over HTTP. Nothing is sent unless the environment
//! says where to: `OTEL_EXPORTER_OTLP_ENDPOINT`, as in every program that speaks it.

mod http;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Where traces go, by the names that the OpenTelemetry specification has for it.
const PLACES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Traces on their way; dropped, it sends what is left.
pub(super) struct Sent(SdkTracerProvider);

impl Drop for Sent {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            eprintln!("legwork: the last traces were not sent: {error}");
        }
    }
}

/// Sends the spans of our own crates, if a place is named.
pub(super) fn start<S>() -> Option<(Box<dyn Layer<S> + Send + Sync>, Sent)>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let place = PLACES.iter().find_map(|name| std::env::var(name).ok());
    place.filter(|place| !place.is_empty())?;
    let exporter = SpanExporter::builder().with_http().with_http_client(http::Plain).build();
    let exporter = match exporter {
        Ok(exporter) => exporter,
        Err(error) => {
            eprintln!("legwork: no traces are sent: {error}");
            return None;
        }
    };
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` have the last word.
    let ours = [opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"))];
    let mut resource = Resource::builder().with_attributes(ours);
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("legwork");
    }
    let provider = SdkTracerProvider::builder()
        .with_resource(resource.build())
        .with_batch_exporter(exporter)
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("legwork"));
    let ours = filter_fn(|about| {
        about.target().starts_with("legwork") && *about.level() <= tracing::Level::INFO
    });
    Some((Box::new(layer.with_filter(ours)), Sent(provider)))
}
