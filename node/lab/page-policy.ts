/**
 * The Content-Security-Policy of the page. It computes for itself: it may load and run what comes
 * from where it comes from, and nothing else. In the page, for web hosts that send none, and in
 * every answer of the lab's server.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
