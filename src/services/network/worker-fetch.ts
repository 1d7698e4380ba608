/**
 * Fetching what users name, through the fetch proxy where the site has one (options WorkerUrl and
 * WorkerValidKey): then the server of the address sees the proxy and not this machine.
 */

import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { addressIn, isPublicAddress, readWebUrl } from '../../domain/addresses/public-address.ts';
import type { InputProblem } from '../../domain/errors/input-problems.ts';
import {
  type EgressOptions,
  type Fetched,
  type FetchInit,
  fetchRefused,
  guardedFetch,
} from './egress.ts';

/** As `guardedFetch`; the status and body are the target's, whichever way they came. */
export async function fetchForUser(
  ctx: Pick<Context, 'config' | 'options'>,
  url: string,
  init: FetchInit = {},
  options: EgressOptions = {},
): Promise<Fetched> {
  const worker = ctx.options().get('WorkerUrl');
  if (worker === '') return guardedFetch(ctx, url, init, options);
  requireFitForWorker(url);
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

/** The proxy takes https only, and resolves names by itself; plain addresses are checked here. */
function requireFitForWorker(text: string): void {
  const url = readWebUrl(text, { https: true });
  const problem = typeof url === 'string' ? url : privateIn(url);
  if (problem === undefined) return;
  const host = parsedUrl(text)?.host ?? '?';
  throw fetchRefused(host, problem);
}

function privateIn(url: URL): InputProblem | undefined {
  const address = addressIn(url);
  const isInside = address !== undefined && !isPublicAddress(address);
  return isInside ? 'private_network' : undefined;
}

/** The proxy writes JSON again as JSON, so it is handed over as such; other bodies as text. */
function bodyForWorker(body: string | Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON: the text is the body
  }
}
