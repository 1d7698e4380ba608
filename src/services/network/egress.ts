/**
 * Fetches URLs that users and admins enter: webhooks, discovery documents, images. A host is
 * resolved once, refused if any of its addresses is not public, and the connection uses exactly
 * those addresses, so that a DNS change in between has no effect. Redirects are checked the same
 * way. Not for channel URLs, which may be private.
 */

import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIPv6, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Dispatcher, Agent as HttpAgent } from 'undici';
import type { Context } from '../../context.ts';
import { addressRanges, isInRanges } from '../../domain/addresses/address-ranges.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { addressIn, isPublicAddress, readWebUrl } from '../../domain/addresses/public-address.ts';
import { type ErrorReason, reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { splitList } from '../../domain/text/comma-list.ts';

/** The addresses of a host name; empty when it does not exist. */
export type Resolver = (host: string) => Promise<readonly string[]>;

export interface EgressOptions {
  /** Allows private addresses: for URLs that only the machine's operator can set. */
  readonly allowPrivate?: boolean;
  /** Host (and port) of a channel's base URL: it may be private, like the channel. */
  readonly alsoHost?: string;
  /** Refuses http, also in redirects. */
  readonly https?: boolean;
  readonly resolve?: Resolver;
}

export interface FetchInit {
  /** GET by default. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Covers everything, redirects and body included; 10 s by default. */
  readonly timeoutMs?: number;
  /** Largest body; 1 MiB by default. */
  readonly maxBytes?: number;
}

export interface FetchResult {
  readonly status: number;
  /** Lower-case names; values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** The body as UTF-8. */
  text(): string;
}

type EgressContext = Pick<Context, 'config'>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

/** @throws AppError `input_invalid` naming `field` for a URL that `guardedFetch` would refuse. */
export async function requirePublicUrl(
  ctx: EgressContext,
  url: string,
  field: string,
  options: EgressOptions = {},
): Promise<void> {
  const target = await targetOf(ctx, url, options, AbortSignal.timeout(TIMEOUT_MS));
  if (typeof target === 'string') throw invalidInput(field, target);
}

/**
 * Fetches a URL entered by a user; every status counts as a response. Follows at most three
 * redirects, each checked like the first URL; methods other than GET follow only redirects that
 * keep method and body (RFC 9110, 15.4).
 * @throws AppError `fetch_refused` for an address that may not be fetched, `fetch_failed` when
 * there is no response in time or it is too large.
 */
export async function guardedFetch(
  ctx: EgressContext,
  url: string,
  init: FetchInit = {},
  options: EgressOptions = {},
): Promise<FetchResult> {
  const signal = AbortSignal.timeout(init.timeoutMs ?? TIMEOUT_MS);
  let at = url;
  let headers = init.headers ?? {};
  let https = options.https === true;
  for (let hops = 0; ; hops += 1) {
    const target = await targetOf(ctx, at, { ...options, https }, signal);
    if (typeof target === 'string') throw fetchRefusedError(hostOf(at), target);
    const answer = await exchange(ctx, target, { ...init, headers }, signal);
    const next = redirectOf(answer, init.method ?? 'GET', target.url);
    if (next === undefined) return answer;
    if (hops === MAX_REDIRECTS) throw failed(target.url, 'server_redirects');
    // Credentials are only for the first origin.
    if (next.origin !== target.url.origin) headers = plainHeaders(headers);
    https ||= target.url.protocol === 'https:';
    at = next.href;
  }
}

export function fetchRefusedError(host: string, reason: ErrorReason): AppError {
  return new AppError('fetch_refused', reasonParams(reason, { host }));
}

interface Target {
  readonly url: URL;
  readonly addresses: readonly string[];
}

/** The resolved target of the URL, or why it is refused. */
async function targetOf(
  ctx: EgressContext,
  text: string,
  options: EgressOptions,
  signal: AbortSignal,
): Promise<Target | ErrorReason> {
  const url = readWebUrl(text, options);
  if (typeof url === 'string') return url;
  const literal = addressIn(url);
  const addresses =
    literal === undefined
      ? await resolvedInTime(signal, (options.resolve ?? systemResolver)(url.hostname))
      : [literal];
  if (addresses.length === 0) return 'host_unknown';
  if (options.allowPrivate || options.alsoHost === url.host) return { url, addresses };
  const allowed = addressRanges(splitList(ctx.config.egressAllow).join('\n'));
  const isOpen = (address: string) => isPublicAddress(address) || isInRanges(address, allowed);
  return addresses.every(isOpen) ? { url, addresses } : 'private_network';
}

async function systemResolver(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Empty when the resolver fails or takes too long, as it has no timeout of its own. */
async function resolvedInTime(
  signal: AbortSignal,
  resolved: Promise<readonly string[]>,
): Promise<readonly string[]> {
  let onAbort = (): void => undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    onAbort = () => resolve([]);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([resolved.catch(() => []), late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function exchange(
  ctx: EgressContext,
  target: Target,
  init: FetchInit,
  signal: AbortSignal,
): Promise<FetchResult> {
  // Most commands fetch nothing. Of a CommonJS package the bundle has the default export only.
  const { Agent, request } = (await import('undici')).default;
  const dispatcher = new Agent(pinnedTo(ctx, target.addresses));
  try {
    const { method = 'GET', headers = {}, body } = init;
    const answer = await request(target.url, { dispatcher, method, headers, body, signal });
    const bytes = await readBounded(answer.body, init.maxBytes ?? MAX_BYTES);
    if (bytes === undefined) throw failed(target.url, 'server_answer_large');
    return {
      status: answer.statusCode,
      headers: flatHeaders(answer.headers),
      bytes,
      text: () => bytes.toString('utf8'),
    };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw failed(target.url, signal.aborted ? 'server_slow' : 'server_silent', cause);
  } finally {
    await dispatcher.destroy();
  }
}

/** Connects only to these addresses, whatever the name resolves to by now. */
function pinnedTo(ctx: EgressContext, addresses: readonly string[]): HttpAgent.Options {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookupPinned: LookupFunction = (_host, options, answer) => {
    const [first] = entries;
    if (options.all) answer(null, entries);
    else answer(null, first?.address ?? '', first?.family ?? 0);
  };
  const ca = trustedAuthorities(ctx);
  return { connect: { lookup: lookupPinned, ...(ca === undefined ? {} : { ca }) } };
}

/**
 * The authorities to trust for outgoing TLS if the operator configured a file with additional ones;
 * undefined for the default ones.
 */
export function trustedAuthorities({ config }: EgressContext): string[] | undefined {
  if (config.caFile === '') return undefined;
  try {
    return [...rootCertificates, readFileSync(config.caFile, 'utf8')];
  } catch (cause) {
    const params = reasonParams('not_readable', { key: 'caFile', names: 'GATEWAY_CA_FILE' });
    throw new AppError('config_invalid', params, { cause });
  }
}

/** Undefined when the body is larger than `maxBytes`. */
async function readBounded(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const KEEPING_METHOD: ReadonlySet<number> = new Set([307, 308]);
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectOf({ status, headers }: FetchResult, method: string, from: URL): URL | undefined {
  const { location } = headers;
  if (location === undefined || !REDIRECT_STATUSES.has(status)) return undefined;
  const isPlain = method === 'GET' || method === 'HEAD';
  if (!isPlain && !KEEPING_METHOD.has(status)) return undefined;
  return parsedUrl(location, from.href);
}

const PLAIN_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => PLAIN_HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(kept);
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return flat;
}

function failed(url: URL, reason: ErrorReason, cause?: unknown): AppError {
  return new AppError('fetch_failed', reasonParams(reason, { host: url.host }), { cause });
}

function hostOf(text: string): string {
  return parsedUrl(text)?.host ?? '?';
}
