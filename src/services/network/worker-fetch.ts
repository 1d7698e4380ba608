/**
 * Fetches user-supplied URLs, through the fetch proxy if the site has one (options WorkerUrl and
 * WorkerValidKey): then the target server sees the proxy instead of this machine.
 */

import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { addressIn, isPublicAddress, readWebUrl } from '../../domain/addresses/public-address.ts';
import type { ErrorReason } from '../../domain/errors/error-reasons.ts';
import {
  type EgressOptions,
  type FetchInit,
  type FetchResult,
  fetchRefusedError,
  guardedFetch,
} from './egress.ts';

/** As `guardedFetch`; status and body are the target's, with or without the proxy. */
export async function fetchForUser(
  ctx: Pick<Context, 'config' | 'options'>,
  url: string,
  init: FetchInit = {},
  options: EgressOptions = {},
): Promise<FetchResult> {
  const worker = ctx.options().get('WorkerUrl');
  if (worker === '') return guardedFetch(ctx, url, init, options);
  requireWorkerUrl(url);
  const { method, headers, body, ...limits } = init;
  const order = {
    url,
    key: ctx.options().get('WorkerValidKey'),
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: bodyForWorker(body) }),
  };
  const post = {
    ...limits,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  } as const;
  return guardedFetch(ctx, worker, post, options.resolve ? { resolve: options.resolve } : {});
}

/** The proxy accepts only https and resolves names itself; literal addresses are checked here. */
function requireWorkerUrl(text: string): void {
  const url = readWebUrl(text, { https: true });
  const problem = typeof url === 'string' ? url : privateIn(url);
  if (problem === undefined) return;
  const host = parsedUrl(text)?.host ?? '?';
  throw fetchRefusedError(host, problem);
}

function privateIn(url: URL): ErrorReason | undefined {
  const address = addressIn(url);
  const isInside = address !== undefined && !isPublicAddress(address);
  return isInside ? 'private_network' : undefined;
}

/** The proxy serializes JSON again, so it gets parsed JSON; other bodies are sent as text. */
function bodyForWorker(body: string | Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON: the text is the body
  }
}
