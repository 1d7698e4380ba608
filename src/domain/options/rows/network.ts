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
  },
  WorkerUrl: { type: 'text', fallback: '', role: 100, form: 'address', check: webAddress },
  WorkerValidKey: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  ReverseProxyEnabled: { type: 'bool', fallback: 'false', role: 10 },
  ReverseProxyProvider: { type: 'choice', fallback: 'nginx', role: 10, choices: REVERSE_PROXIES },
} as const satisfies OptionRows;
