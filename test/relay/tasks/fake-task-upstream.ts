/**
 * An upstream for image and song tasks: accepts submissions, reports their state, and handles the
 * next submissions as a test configures.
 */
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { request } from 'undici';
import { type RawAnswer, type RawRequest, rawUpstream, whole } from '../raw-upstream.ts';

export const TASK_KEY = 'task-upstream-key';
/** One pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface FakeTaskUpstream {
  readonly url: string;
  readonly requests: readonly (RawRequest & { readonly json: Record<string, unknown> })[];
  /** Requested paths, in order. */
  paths(): string[];
  /** The body of the last submission. */
  lastSubmit(): Record<string, unknown>;
  /** The responses to the next submissions, in order. */
  next(...answers: RawAnswer[]): void;
  /** The response to polls; undefined: the current states. */
  setTaskAnswer(answer: RawAnswer | undefined): void;
  /** Ids it issued, in order. */
  readonly ids: readonly string[];
  /** Sets the state it reports for a task. */
  setTask(id: string, fields: Readonly<Record<string, unknown>>): void;
  /** Posts to the callback address of the last submission. */
  notify(id: string, fields: Readonly<Record<string, unknown>>, address?: string): Promise<number>;
  close(): Promise<void>;
}

export async function fakeTaskUpstream(): Promise<FakeTaskUpstream> {
  const raw = await rawUpstream();
  const tasks = new Map<string, Record<string, unknown>>();
  const ids: string[] = [];
  const planned: RawAnswer[] = [];
  let taskAnswer: RawAnswer | undefined;
  const begin = (): string => {
    const id = `17${Date.now()}${ids.length}`;
    ids.push(id);
    tasks.set(id, { id, task_id: id, status: 'SUBMITTED', progress: '0%' });
    return id;
  };
  const listAnswer = (list: unknown) =>
    (Array.isArray(list) ? list : []).flatMap((id) => tasks.get(String(id)) ?? []);

  const video = ({ path, method }: RawRequest): RawAnswer =>
    method === 'GET'
      ? (taskAnswer ?? klingAnswer(tasks.get(path.split('/').at(-1) ?? '') ?? {}))
      : (planned.shift() ?? klingAnswer({ task_id: begin(), task_status: 'submitted' }));

  const usual = (incoming: RawRequest): RawAnswer => {
    const { path, body } = incoming;
    if (path.startsWith('/v1/videos')) return video(incoming);
    if (path.endsWith('/image.png'))
      return (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
    if (path.endsWith('/page.png'))
      return (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    if (path.endsWith('/image-seed'))
      return whole({ code: 1, description: 'success', result: '4242' });
    if (path === '/mj/task/list-by-condition')
      return taskAnswer ?? whole(listAnswer(objectOf(body).ids));
    if (path === '/suno/fetch')
      return taskAnswer ?? whole({ code: 'success', data: listAnswer(objectOf(body).ids) });
    const next = planned.shift();
    if (next !== undefined) return next;
    if (path.startsWith('/suno')) return whole({ code: 'success', message: '', data: begin() });
    if (path.endsWith('upload-discord-images'))
      return whole({ code: 1, description: 'ok', result: ['https://cdn.example/1.png'] });
    return whole({ code: 1, description: 'Submit success', result: begin(), properties: {} });
  };

  raw.answer = (response: ServerResponse, incoming: RawRequest) => {
    const { 'mj-api-secret': secret, authorization } = incoming.headers;
    const isImage = incoming.path.endsWith('.png');
    const key = secret ?? authorization?.replace('Bearer ', '') ?? '';
    if (!isImage && !String(key).startsWith(TASK_KEY) && !isSignedByKling(String(key)))
      return response.writeHead(401).end('{"message":"wrong key"}');
    return usual(incoming)(response, incoming);
  };

  const submits = () =>
    raw.requests.filter(
      ({ path, method }) => method === 'POST' && /submit|insight-face|videos/.test(path),
    );
  return {
    url: raw.url,
    get requests() {
      return raw.requests.map((one) => ({ ...one, json: objectOf(one.body) }));
    },
    paths: () => raw.requests.map(({ path }) => path),
    lastSubmit: () => objectOf(submits().at(-1)?.body ?? ''),
    next: (...answers) => void planned.push(...answers),
    setTaskAnswer(answer) {
      taskAnswer = answer;
    },
    ids,
    setTask: (id, fields) => void tasks.set(id, { ...tasks.get(id), id, task_id: id, ...fields }),
    async notify(id, fields, address = String(objectOf(submits().at(-1)?.body ?? '').notifyHook)) {
      const body = JSON.stringify({ ...tasks.get(id), id, ...fields });
      const answer = await request(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await answer.body.dump();
      return answer.statusCode;
    },
    close: raw.close,
  };
}

function objectOf(text: string): Record<string, unknown> {
  return text === '' ? {} : JSON.parse(text);
}

function klingAnswer(data: object): RawAnswer {
  return whole({ code: 0, message: 'SUCCEED', request_id: 'r-1', data });
}

/** Whether a token is signed with the secret `TASK_KEY`, and currently valid. */
function isSignedByKling(token: string): boolean {
  const [head = '', claims = '', signature] = token.split('.');
  const right = createHmac('sha256', TASK_KEY).update(`${head}.${claims}`).digest('base64url');
  const { iss, exp, nbf } = objectOf(Buffer.from(claims, 'base64url').toString());
  const nowSec = Date.now() / 1000;
  return signature === right && iss === 'ak' && Number(exp) > nowSec && Number(nbf) <= nowSec;
}

/** A response with this status and JSON. */
export function answered(status: number, body: object): RawAnswer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** No response at all. */
export const silence: RawAnswer = () => undefined;

/** Breaks the connection once the request has arrived. */
export const brokenOff: RawAnswer = (response) => response.destroy();
