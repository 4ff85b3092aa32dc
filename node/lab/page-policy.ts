/**
 * Content-Security-Policy of the page, which loads and runs only files of its own origin. It is in
 * the page itself, for web hosts that send none, and in every answer of the lab's server.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
