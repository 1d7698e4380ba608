/** Signing in to a server and out of it, for as long as an access token takes to be made or ended. */
import { apiCalls } from '../api/all.ts';
import { remote, type Send } from '../api/remote.ts';
import { httpSend, type Server } from '../session/http.ts';
import type { Cli } from './cli.ts';

interface Account {
  readonly username: string;
  readonly password: string;
}

/** A session for the moment that an access token takes to be made. */
export async function signIn(cli: Cli, url: string, account: Account) {
  let cookie = '';
  const send: Send = async (question) => {
    const answer = await httpSend({ url, accessToken: '', cookie }, cli.http())(question);
    cookie = answer.header('set-cookie')?.split(';')[0] ?? cookie;
    return answer;
  };
  const api = remote(apiCalls.account, send);
  const user = await api.login(account);
  const token = await api.newToken({});
  await api.logout({});
  return { user, token };
}

/** A server that is gone must not keep the token on this machine. */
export async function endToken(cli: Cli, server: Server): Promise<void> {
  await remote(apiCalls.account, httpSend(server, cli.http()))
    .endToken({})
    .catch(() => undefined);
}
