//! A server under TLS, with a certificate that only the browsers of these tests take: they are told its key.

use std::sync::Arc;

use base64::Engine as _;
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const CERTIFICATE: &[u8] = include_bytes!("tls/certificate.pem");
/// Made for these tests: whoever has it can pass for `shop.test`, which nobody can have.
const KEY: &[u8] = include_bytes!("tls/key.pem");

/// One connection, after its handshake.
pub type Stream = tokio_rustls::server::TlsStream<TcpStream>;

/// A server on 127.0.0.2 that ends with this.
pub struct Server {
    pub port: u16,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves connections; `protocol` is what the server says it speaks.
    pub async fn start<F>(
        protocol: &str,
        serve: impl Fn(Stream) -> F + Send + Sync + 'static,
    ) -> Server
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let acceptor = acceptor(protocol);
        let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = Arc::new(serve);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (accept, serve) = (acceptor.accept(stream), serve.clone());
                connections.spawn(async move {
                    if let Ok(stream) = accept.await {
                        serve(stream).await;
                    }
                });
            }
        });
        Server { port, task }
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://shop.test:{}/{}", self.port, path.trim_start_matches('/'))
    }
}

fn acceptor(protocol: &str) -> TlsAcceptor {
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    let mut config = config.with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// The argument by which a Chrome takes that certificate and no other.
pub fn trusted() -> String {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    // The public key of a P-256 certificate as it stands in there: 26 bytes that say so, then the point.
    const P256: &[u8] = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01";
    let at = certificate.windows(P256.len()).position(|bytes| bytes == P256).unwrap();
    let hash = Sha256::digest(&certificate[at..at + 91]);
    let hash = base64::engine::general_purpose::STANDARD.encode(hash);
    format!("--ignore-certificate-errors-spki-list={hash}")
}
