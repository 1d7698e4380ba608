/** Runs API calls on a remote server. */
import { apiCalls } from '../api/all.ts';
import type { CallClient, Calls } from '../api/call.ts';
import {
  type PasswordSource,
  type RemoteRequest,
  remoteClient,
  type SendRequest,
} from '../api/remote.ts';
import type { HttpOptions, Server } from './http.ts';
import { httpSend } from './http.ts';
import type { LocalApi, Session } from './session.ts';

/** @throws AppError `server_unreachable`. */
export async function openRemote(
  server: Server,
  options: HttpOptions,
  password?: PasswordSource,
): Promise<Session> {
  const send = httpSend(server, options);
  const api = remoteApi(send, password);
  const { quota_per_unit } = await api.status.get({});
  return {
    api,
    ctx: undefined,
    location: server.url,
    quotaPerUnit: quota_per_unit,
    dryRun: (work) => dryRun(send, work),
    close: async () => undefined,
  };
}

export function remoteApi(send: SendRequest, password?: PasswordSource): LocalApi {
  const clients = Object.entries<Calls>(apiCalls).map(
    ([noun, calls]): [string, CallClient<Calls>] => [noun, remoteClient(calls, send, password)],
  );
  return Object.fromEntries(clients) as unknown as LocalApi; // one client per noun of the same table
}

/** Sends reads; the first write is not sent, and its body is returned instead. */
async function dryRun<T>(send: SendRequest, work: (api: LocalApi) => Promise<T>): Promise<T> {
  const careful: SendRequest = async (question) => {
    if (question.changes) throw new Unsent(question);
    return send(question);
  };
  try {
    return await work(remoteApi(careful));
  } catch (error) {
    if (error instanceof Unsent) return error.question.body as T; // displayed only
    throw error;
  }
}

class Unsent extends Error {
  readonly question: RemoteRequest;
  constructor(question: RemoteRequest) {
    super('not sent');
    this.question = question;
  }
}
