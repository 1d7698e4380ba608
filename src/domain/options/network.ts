/**
 * The gateway's public address and the proxies it trusts. Password-reset links and sign-in
 * callbacks are built from the server address, so it is restricted to the super admin.
 */
import { requiredWebAddress, webAddress } from './checks.ts';
import type { OptionRows } from './row.ts';

export const networkOptions = {
  ServerAddress: {
    type: 'text',
    fallback: 'http://localhost:3000',
    role: 100,
    group: 'network',
    public: true,
    form: 'address',
    check: requiredWebAddress,
    summary: 'Public address of this gateway, for links and callbacks.',
  },
  WorkerUrl: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'network',
    form: 'address',
    check: webAddress,
    summary: 'Fetch proxy for addresses typed by users; empty means direct.',
  },
  WorkerValidKey: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'network',
    secret: true,
    form: 'line',
    summary: 'Key the fetch proxy asks for.',
  },
  ReverseProxyEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'network',
    summary: "Takes the client address from the proxy's headers.",
  },
  ReverseProxyProvider: {
    type: 'choice',
    fallback: 'nginx',
    role: 10,
    group: 'network',
    choices: ['nginx', 'cloudflare'],
    summary: 'Which proxy stands in front, and so which header counts.',
  },
} as const satisfies OptionRows;
