/**
 * The provider of the cluster, in a separate process. Every prompt carries a marker; in addition to
 * `_fake`, `/calls` lists which gateway request carried which marker, and the tokens reported in a
 * complete response.
 */
import { createServer } from 'node:http';
import { startFakeUpstream } from '../../../upstream/server.ts';

export interface UpstreamCall {
  readonly requestId: string;
  readonly marker: string;
  /** 0 unless the response was sent in full. */
  readonly tokens: number;
}

const [host = '', port = '', key = ''] = process.argv.slice(2);
const upstream = await startFakeUpstream({ host, port: Number(port), keys: [key] });
const markers = new Map<string, string>();
const reported = new Map<string, number>();

/** The upstream keeps only the latest calls, so they are recorded in time. */
let last: (typeof upstream.requests)[number] | undefined;
setInterval(() => {
  const { requests } = upstream;
  for (const call of requests.slice(last === undefined ? 0 : requests.lastIndexOf(last) + 1)) {
    const requestId = String(call.headers['x-client-request-id'] ?? '');
    const marker = /marker-\d+/.exec(call.body)?.[0];
    if (marker !== undefined) markers.set(requestId, marker);
    last = call;
  }
  for (const [requestId, { total_tokens }] of upstream.stats.reportedByRequest)
    reported.set(requestId, total_tokens);
}, 100);

createServer((_request, response) => {
  const calls: UpstreamCall[] = [...markers].map(([requestId, marker]) => ({
    requestId,
    marker,
    tokens: reported.get(requestId) ?? 0,
  }));
  response.end(JSON.stringify(calls));
}).listen(Number(port) + 1, host, () => process.stdout.write(`listening on ${upstream.url}\n`));
