/** A certificate for localhost and `*.example`, and the CA that signed it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));

/** For `config.caFile`. */
export const CA_FILE = fixture('ca.pem');
export const SERVER_TLS = {
  key: readFileSync(fixture('server-key.pem')),
  cert: readFileSync(fixture('server.pem')),
} as const;
