/** Management calls as programs send them, with what is known about each outcome. */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface ManagementRequest {
  /** The URL of nginx or of one node. */
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** An access token, or a key of the model API. */
  readonly token?: string;
  /** The cookie as a browser sends it. */
  readonly cookie?: string;
}

export type Outcome =
  /** Acknowledged: the change is written. */
  | {
      readonly kind: 'done';
      readonly data: Readonly<Record<string, unknown>>;
      readonly cookie: string;
    }
  /** Refused by the gateway with an error code: the change is not written. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Connection broken or server error: the change may or may not be written. */
  | { readonly kind: 'unknown'; readonly how: string };

export interface ManagementClient {
  send(sent: ManagementRequest): Promise<Outcome>;
  /** Repeats the request until the outcome is known, at most `TRIES` times. */
  sendUntilKnown(sent: ManagementRequest): Promise<Outcome>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const TRIES = 6;

export function openManagementClient(): ManagementClient {
  const agent = new Agent({ connections: 100, connectTimeout: 2_000 });
  const send = (sent: ManagementRequest) => sendBy(agent, sent);
  return {
    send,
    async sendUntilKnown(sent) {
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await send(sent);
        if (outcome.kind !== 'unknown' || attempt === TRIES) return outcome;
        await pause(300 * attempt);
      }
    },
    close: () => agent.destroy(),
  };
}

async function sendBy(agent: Agent, sent: ManagementRequest): Promise<Outcome> {
  const { url, method, path, body, token, cookie } = sent;
  try {
    const answer = await request(`${url}${path}`, {
      dispatcher: agent,
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie !== undefined && { cookie }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const text = await answer.body.text();
    const status = answer.statusCode;
    const isGateway = answer.headers['x-request-id'] !== undefined;
    if (status >= 500 || !isGateway) return { kind: 'unknown', how: `${status} ${codeIn(text)}` };
    const reply = objectIn(text);
    if (status !== 200 || reply.success === false)
      return { kind: 'refused', code: codeIn(text) || String(status) };
    const set = [answer.headers['set-cookie'] ?? ''].flat()[0] ?? '';
    const data = typeof reply.data === 'object' && reply.data !== null ? reply.data : {};
    return { kind: 'done', data: { ...data }, cookie: set.split(';', 1)[0] ?? '' };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }; // from undici
    return { kind: 'unknown', how: code === '' ? message : code };
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function codeIn(text: string): string {
  return /"code":"([\w-]+)"/.exec(text)?.[1] ?? '';
}
