/**
 * The provider of the cluster, in a separate process. Every prompt carries a marker; `/calls` of the
 * next port lists which gateway request carried which marker.
 */
import { createServer } from 'node:http';
import { startFakeUpstream } from '../../../upstream/server.ts';

export interface UpstreamCall {
  readonly requestId: string;
  readonly marker: string;
}

const [host = '', port = '', key = ''] = process.argv.slice(2);
const upstream = await startFakeUpstream({ host, port: Number(port), keys: [key] });
const markers = new Map<string, string>();

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
}, 100);

createServer((_request, response) => {
  const calls = [...markers].map(([requestId, marker]): UpstreamCall => ({ requestId, marker }));
  response.end(JSON.stringify(calls));
}).listen(Number(port) + 1, host, () => process.stdout.write(`listening on ${upstream.url}\n`));
