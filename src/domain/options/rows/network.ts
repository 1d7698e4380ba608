/**
 * The gateway's public address and the proxies it trusts. Password-reset links and sign-in
 * callbacks are built from the server address, so it is restricted to the super admin.
 */
import { REVERSE_PROXIES } from '../../reverse-proxies.ts';
import { requiredWebAddress, webAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const networkOptions = {
  ServerAddress: {
    type: 'text',
    fallback: 'http://localhost:3000',
    role: 100,
    public: true,
    form: 'address',
    check: requiredWebAddress,
    summary:
      'Public address of this gateway, for links and callbacks; by default its port on localhost.',
  },
  WorkerUrl: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'address',
    check: webAddress,
    summary:
      'Fetch worker for addresses that users enter; if empty, the gateway fetches them itself.',
  },
  WorkerValidKey: {
    type: 'text',
    fallback: '',
    role: 100,
    secret: true,
    form: 'line',
    summary: 'Key for the fetch worker.',
  },
  ReverseProxyEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Reads the client address from the headers of the reverse proxy.',
  },
  ReverseProxyProvider: {
    type: 'choice',
    fallback: 'nginx',
    role: 10,
    choices: REVERSE_PROXIES,
    summary: 'Type of the reverse proxy, which determines the headers to read.',
  },
} as const satisfies OptionRows;
