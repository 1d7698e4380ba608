/** An HTTPS server that records webhooks and returns the configured responses. */

import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SERVER_TLS } from './tls.ts';

export interface Hook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly raw: string;
}

export interface HookAnswer {
  readonly status: number;
  readonly location?: string;
  readonly body?: string;
}

export interface WebhookReceiver {
  /** `https://localhost:<port>/hook`; its certificate is signed by `CA_FILE`. */
  readonly url: string;
  readonly hooks: Hook[];
  /** One per webhook, in order; 200 when none are left. */
  readonly answers: HookAnswer[];
  close(): Promise<void>;
}

export async function aWebhookReceiver(): Promise<WebhookReceiver> {
  const hooks: Hook[] = [];
  const answers: HookAnswer[] = [];
  const server = createServer(SERVER_TLS, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      hooks.push({ path: url, headers, raw: Buffer.concat(chunks).toString('utf8') });
      const { status, location, body = 'seen' }: HookAnswer = answers.shift() ?? { status: 200 };
      response.writeHead(status, location === undefined ? {} : { location }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `https://localhost:${port}/hook`,
    hooks,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
