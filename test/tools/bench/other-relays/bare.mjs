/**
 * A minimal relay: node:http, undici, no key, no price, no ledger. It shows the least cost of a call on
 * the same machine in the same minute. The argument is the address of the upstream.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , upstream = ''] = process.argv;
const pool = new Pool(upstream, { connections: 256, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => relay(request, Buffer.concat(parts), response));
});

function relay({ method, url, headers }, body, response) {
  const { authorization, 'content-type': type } = headers;
  const call = { method, path: url, headers: { authorization, 'content-type': type }, body };
  pool.dispatch(call, {
    onRequestStart() {},
    onResponseStart(_controller, status, { 'content-type': kind, 'content-length': length }) {
      response.writeHead(status, {
        'content-type': kind,
        ...(length === undefined ? {} : { 'content-length': length }),
      });
    },
    onResponseData: (_controller, chunk) => response.write(chunk),
    onResponseEnd: () => response.end(),
    onResponseError: (_controller, error) => response.destroy(error),
  });
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare on http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
