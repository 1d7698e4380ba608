/** Passes calls to the gateway and records in which order they were answered and refused. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface RecordedCall {
  readonly id: string;
  readonly status: number;
  /** Of a call that failed. */
  readonly error: string;
}

export interface Recorder {
  readonly url: string;
  /** Calls of models in the order in which their answers ended. */
  readonly calls: readonly RecordedCall[];
  close(): Promise<void>;
}

export async function startRecorder(gateway: string): Promise<Recorder> {
  const calls: RecordedCall[] = [];
  const server = createServer((incoming, outgoing) => pass(gateway, incoming, outgoing, calls));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function pass(
  gateway: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  calls: RecordedCall[],
): void {
  const { method, url = '/', headers } = incoming;
  const passed = request(new URL(url, gateway), { method, headers }, (answer) => {
    const status = answer.statusCode ?? 0;
    const id = String(answer.headers['x-request-id']);
    outgoing.writeHead(status, answer.headers);
    answer.pipe(outgoing);
    let error = '';
    if (status >= 400) answer.on('data', (bytes) => (error += String(bytes)));
    answer.once('end', () => {
      if (method === 'POST') calls.push({ id, status, error });
    });
  });
  passed.once('error', () => outgoing.destroy());
  outgoing.once('close', () => passed.destroy());
  incoming.pipe(passed);
}
