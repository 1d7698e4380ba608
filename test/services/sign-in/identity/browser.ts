/**
 * A browser that calls the services: it keeps cookies and acts as the user of its session. Inputs
 * are validated by their schemas, as in the server.
 */
import type * as z from 'zod/mini';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import type { Actor, CookieName, Visit } from '../../../../src/api/call.ts';
import { parseInput } from '../../../../src/api/local.ts';
import type { Context } from '../../../../src/context.ts';
import { handlers } from '../../../../src/handlers.ts';
import { actorOfSession, startSession } from '../../../../src/services/credentials/sessions.ts';

type Calls = typeof oauthCalls;
type CallName = keyof Calls;

const GUEST: Actor = { kind: 'user', id: 0, role: 0, group: '' };

export interface Browser {
  readonly cookies: Map<CookieName, string>;
  call<N extends CallName>(
    name: N,
    input: z.input<Calls[N]['input']>,
  ): Promise<Awaited<ReturnType<(typeof handlers.oauth)[N]>>>;
  /** Signs in as if with a password. */
  signInAs(userId: number): Promise<void>;
  /** The signed-in user; 0 for none. */
  userId(): Promise<number>;
}

export function aBrowser(ctx: Context): Browser {
  const cookies = new Map<CookieName, string>();
  const actor = async (): Promise<Actor> => {
    const session = cookies.get('session');
    return (session === undefined ? undefined : await actorOfSession(ctx, session)) ?? GUEST;
  };
  const visit = async (): Promise<Visit> => ({
    address: '203.0.113.7',
    userAgent: 'test',
    language: 'en',
    via: (await actor()) === GUEST ? 'anonymous' : 'session',
    proxy: undefined,
    cookies: {
      get: (name) => cookies.get(name),
      set: (name, value) => void cookies.set(name, value),
      clear: (name) => void cookies.delete(name),
    },
  });
  return {
    cookies,
    async call(name, input) {
      const run = handlers.oauth[name] as (...given: unknown[]) => Promise<never>; // the function of this row
      return run(ctx, await actor(), parseInput(oauthCalls[name], input), await visit());
    },
    async signInAs(userId) {
      await startSession(ctx, await visit(), userId);
    },
    async userId() {
      const who = await actor();
      return who.kind === 'user' ? who.id : 0;
    },
  };
}
