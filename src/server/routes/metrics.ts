/**
 * The metrics endpoint: on a separate port, or at `/metrics` of the main server with the metrics
 * token. If neither is configured, there is no such endpoint.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { exposition, PROMETHEUS_TYPE } from '../../observe/exposition.ts';
import type { SeriesState } from '../../observe/series.ts';
import { asListenError } from '../connections/listen-error.ts';
import { isBearer } from '../request/bearer.ts';

/** Reads the current value of all series. */
export type ReadSeries = () => Promise<readonly SeriesState[]>;

const PLAIN = 'text/plain; charset=utf-8';
const NO_TOKEN = 'the metrics token is missing or wrong\n';
const AUTHENTICATE_HEADER = { 'www-authenticate': 'Bearer' };

/** On the main port, only with the token. */
export async function metricsRoute(
  app: FastifyInstance,
  { config, read }: { readonly config: Config; readonly read: ReadSeries },
): Promise<void> {
  app.get('/metrics', async (request, reply) => {
    if (!isBearer(request.headers.authorization, config.metricsToken))
      return reply.code(401).headers(AUTHENTICATE_HEADER).type(PLAIN).send(NO_TOKEN);
    return reply
      .header('cache-control', 'no-store')
      .type(PROMETHEUS_TYPE)
      .send(exposition(await read()));
  });
}

export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * On the separate port; the token is required if one is set.
 * @throws AppError `port_in_use`, `port_denied`, `host_not_local`.
 */
export async function listenForMetrics(
  config: Config,
  port: number,
  read: ReadSeries,
): Promise<MetricsListener> {
  const { metricsHost: host } = config;
  const server = createServer((request, response) => {
    answer(config, read, request, response).catch(() => response.destroy());
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    const address = { host, port, names: 'GATEWAY_METRICS_HOST, GATEWAY_METRICS_PORT' };
    server.once('error', (error) => reject(asListenError(error, address)));
    server.listen({ host, port }, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo; // TCP, never a string
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${shown}:${taken}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  config: Config,
  read: ReadSeries,
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, text: string, more: Readonly<Record<string, string>> = {}) =>
    response
      .writeHead(status, { 'content-type': PLAIN, ...more })
      .end(method === 'HEAD' ? undefined : text);
  if (method !== 'GET' && method !== 'HEAD') return void send(405, 'GET only\n', { allow: 'GET' });
  if (url.split('?', 1)[0] !== '/metrics') return void send(404, 'only /metrics is here\n');
  const isOpen = config.metricsToken.open() === '';
  if (!isOpen && !isBearer(headers.authorization, config.metricsToken))
    return void send(401, NO_TOKEN, AUTHENTICATE_HEADER);
  send(200, exposition(await read()), {
    'content-type': PROMETHEUS_TYPE,
    'cache-control': 'no-store',
  });
}
