/** Signs in to a server and out again, to create or end an access token. */
import { apiCalls } from '../../api/all.ts';
import { remoteClient, type SendRequest } from '../../api/remote.ts';
import { httpSend, type Server } from '../../session/http.ts';
import type { CommandContext } from '../command-context.ts';

interface Account {
  readonly username: string;
  readonly password: string;
}

/** Opens a session just long enough to create an access token. */
export async function signIn(cli: CommandContext, url: string, account: Account) {
  let cookie = '';
  const send: SendRequest = async (question) => {
    const answer = await httpSend({ url, accessToken: '', cookie }, cli.http())(question);
    cookie = answer.header('set-cookie')?.split(';')[0] ?? cookie;
    return answer;
  };
  const api = remoteClient(apiCalls.account, send);
  const user = await api.login(account);
  const token = await api.newToken({});
  await api.logout({});
  return { user, token };
}

/** An unreachable server must not prevent removing the token from this machine. */
export async function endToken(cli: CommandContext, server: Server): Promise<void> {
  await remoteClient(apiCalls.account, httpSend(server, cli.http()))
    .endToken({})
    .catch(() => undefined);
}
