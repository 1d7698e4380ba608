/**
 * The calls, answered in this process on the site's own database: works beside a running server or
 * without one. Only ever imported dynamically, as it loads the services and the database drivers.
 */
import { apiCalls } from '../api/all.ts';
import type { Actor, Client } from '../api/call.ts';
import { channelProbeCalls } from '../api/channel-probe.ts';
import { local } from '../api/local.ts';
import { boot } from '../boot.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Language } from '../locales/text.ts';
import * as probe from '../relay/channel-probe.ts';
import { services } from '../services/all.ts';
import { inTx } from '../store/tx.ts';

type Tables = typeof apiCalls & { readonly probe: typeof channelProbeCalls };
export type Api = { readonly [N in keyof Tables]: Client<Tables[N]> };

export interface Session {
  readonly api: Api;
  readonly ctx: Context;
  /** Printable, no password. */
  readonly location: string;
  readonly quotaPerUnit: number;
  /** Does everything `work` asks for, checks included, and takes it all back. */
  rehearse<T>(work: (api: Api) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const OPERATOR: Actor = { kind: 'operator' };

/** @throws as `boot` does. `migrate`: an empty or older database is brought up to date first. */
export async function openSession(
  config: Config,
  options: { readonly language: Language; readonly migrate?: boolean },
): Promise<Session> {
  const { language, migrate = false } = options;
  const { ctx, databases, close } = await boot(config, { migrate });
  return {
    api: apiOf(ctx, language),
    ctx,
    location: databases.location,
    quotaPerUnit: ctx.options().get('QuotaPerUnit'),
    rehearse: (work) => rehearse(ctx, (trial) => work(apiOf(trial, language))),
    close,
  };
}

function apiOf(ctx: Context, language: Language): Api {
  return {
    status: local(apiCalls.status, services.status, ctx, OPERATOR, language),
    setup: local(apiCalls.setup, services.setup, ctx, OPERATOR, language),
    user: local(apiCalls.user, services.user, ctx, OPERATOR, language),
    group: local(apiCalls.group, services.group, ctx, OPERATOR, language),
    channel: local(apiCalls.channel, services.channel, ctx, OPERATOR, language),
    token: local(apiCalls.token, services.token, ctx, OPERATOR, language),
    option: local(apiCalls.option, services.option, ctx, OPERATOR, language),
    price: local(apiCalls.price, services.price, ctx, OPERATOR, language),
    log: local(apiCalls.log, services.log, ctx, OPERATOR, language),
    probe: local(channelProbeCalls, probe, ctx, OPERATOR, language),
    ledger: local(apiCalls.ledger, services.ledger, ctx, OPERATOR, language),
  };
}

/** Services join the open transaction, so taking it back takes back all they wrote. */
async function rehearse<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  const takenBack = new Rehearsed<T>();
  try {
    await inTx(ctx, async (ctx) => {
      takenBack.answer = { value: await work(ctx) };
      throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  if (takenBack.answer === undefined) throw new Error('a rehearsal ended without its answer');
  return takenBack.answer.value;
}

class Rehearsed<T> extends Error {
  answer: { readonly value: T } | undefined;
}
