/**
 * Opens the upstream connection of a Realtime session. Nothing is sent to the client before the
 * upstream's first event, so until then a failed attempt may be retried elsewhere.
 */
import type { Agent, IncomingMessage } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { WebSocket } from 'ws';
import { readEvent } from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { buildRequest } from '../../providers/requests/openai-request.ts';
import { errorInSuccess, readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { Admitted } from '../call/admitted.ts';
import { providerFor } from '../call/channel-provider.ts';
import type { Choice } from '../call/choice.ts';
import { headerOf } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { brokenAttempt, refusedAttempt } from '../failures/upstream-failures.ts';
import { proxyScheme } from '../http/connection-pools.ts';
import { type Frame, FrameSource, MAX_FRAME_BYTES } from './realtime-frames.ts';

export interface Dialled {
  readonly upstream: FrameSource;
  /** The upstream's first events; none if it waits for the client's. */
  readonly greeting: readonly Frame[];
}

/** Most servers send an event on connect; after this time the session starts without one. */
const GREETING_WAIT_MS = 5_000;
const MAX_ERROR_BYTES = 64 * 1024;
const ERROR_BODY_WAIT_MS = 5_000;

/**
 * @throws UpstreamFailure, ClientLeft, AppError (a refusal by the gateway, which is never retried).
 */
export async function dial(relay: Ports<'ctx'>, call: Admitted, choice: Choice): Promise<Dialled> {
  let socket: WebSocket | undefined;
  let isDialling = true;
  try {
    socket = openSocket(relay, call, choice);
    const upstream = new FrameSource(socket);
    call.incoming.client.onLeave(() => {
      if (isDialling) socket?.terminate();
    });
    await opened(relay, call, socket);
    const first = await upstream.next(GREETING_WAIT_MS);
    if (first === 'waited') return { upstream, greeting: [] };
    if ('code' in first) throw brokeOff(`closed with ${first.code} ${first.reason}`);
    refuseError(relay, call, first);
    return { upstream, greeting: [first] };
  } catch (error) {
    socket?.terminate();
    throw brokenAttempt(relay, call, error);
  } finally {
    isDialling = false;
  }
}

function brokeOff(what: string): AppError {
  return new AppError('upstream_failed', {}, { cause: new Error(what) });
}

function openSocket(relay: Ports<'ctx'>, call: Admitted, choice: Choice): WebSocket {
  const { channel, key } = choice;
  const { incoming } = call;
  const { upstreamModel } = call.route;
  const request = buildRequest({
    provider: providerFor(channel),
    baseUrl: channel.baseUrl,
    key: key.key,
    other: channel.other,
    organization: channel.organization,
    endpoint: 'realtime',
    model: upstreamModel,
    clientQuery: incoming.query,
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl: relay.ctx.options().get('ServerAddress'),
  });
  const beta = betaVersion(incoming.headers);
  const { connectTimeoutMs, streamIdleTimeoutMs } = relay.ctx.config;
  return new WebSocket(request.url.origin.replace(/^http/, 'ws') + request.url.path, {
    headers: {
      ...request.headers,
      ...(beta === '' ? {} : { 'openai-beta': beta }),
      'x-client-request-id': incoming.requestId,
    },
    agent: agentFor(channel.setting.proxy),
    handshakeTimeout: connectTimeoutMs + streamIdleTimeoutMs,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  });
}

/**
 * The client's Realtime version, which decides the event names; browsers send it as a subprotocol.
 */
export function betaVersion(headers: Admitted['incoming']['headers']): string {
  const header = headerOf(headers, 'openai-beta');
  const protocols = headerOf(headers, 'sec-websocket-protocol');
  return header === '' && /(^|[\s,])openai-beta\.realtime-v1([\s,]|$)/.test(protocols)
    ? 'realtime=v1'
    : header;
}

/** @throws AppError channel_unusable. */
function agentFor(proxyUrl: string): Agent | undefined {
  if (proxyUrl === '') return undefined;
  return proxyScheme(proxyUrl) === 'socks5:'
    ? new SocksProxyAgent(proxyUrl)
    : new HttpsProxyAgent(proxyUrl);
}

function opened(relay: Ports<'ctx'>, call: Admitted, socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (cause) =>
      reject(
        call.incoming.client.leftAtMs === undefined
          ? new AppError('upstream_failed', {}, { cause })
          : new ClientLeft(),
      ),
    );
    socket.once('unexpected-response', (_request, response) => {
      refusal(relay, call, response).then(reject, reject);
    });
  });
}

/** Reads the error of an upstream that answered with HTTP instead of a WebSocket. */
async function refusal(
  relay: Ports<'ctx'>,
  call: Admitted,
  response: IncomingMessage,
): Promise<Error> {
  const bodyText = await errorText(response);
  return refusedAttempt(
    relay,
    call,
    readUpstreamError({
      status: response.statusCode ?? 0,
      headers: response.headers,
      bodyText,
      nowMs: relay.ctx.now(),
    }),
  );
}

async function errorText(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), ERROR_BODY_WAIT_MS);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length;
      parts.push(part);
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status alone already says that the attempt failed.
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
  return Buffer.concat(parts).subarray(0, MAX_ERROR_BYTES).toString('utf8');
}

/** An error as the first event counts as a failed attempt. */
function refuseError(relay: Ports<'ctx'>, call: Admitted, { data }: Frame): void {
  const event = readEvent(data.toString());
  if (event === undefined) throw new AppError('upstream_garbled');
  if (event.type !== 'error') return;
  const error = errorInSuccess(event.json);
  throw error === undefined ? new AppError('upstream_garbled') : refusedAttempt(relay, call, error);
}
