/**
 * Runs API calls in this process on the site's own database, with or without a running server.
 * Imported only dynamically, because it loads the services and the database drivers.
 */
import type { Actor } from '../api/call.ts';
import { boot } from '../boot.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { type LocalApi, localApi } from '../handlers.ts';
import type { Language } from '../locales/text.ts';
import { inTransaction } from '../store/connection/transaction.ts';

export type { LocalApi } from '../handlers.ts';

export interface Session {
  readonly api: LocalApi;
  /** Undefined when a remote server is used. */
  readonly ctx: Context | undefined;
  /** For display, without password. */
  readonly location: string;
  readonly quotaPerUnit: number;
  /** Runs `work` with all checks and rolls everything back. */
  dryRun<T>(work: (api: LocalApi) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type LocalSession = Session & { readonly ctx: Context };

const OPERATOR: Actor = { kind: 'operator' };

/** @throws the same errors as `boot`. `migrate`: migrates an empty or older database first. */
export async function openApiSession(
  config: Config,
  options: { readonly language: Language; readonly migrate?: boolean },
): Promise<LocalSession> {
  const { language, migrate = false } = options;
  const { ctx, databases, close } = await boot(config, { migrate });
  return {
    api: localApi(ctx, OPERATOR, language),
    ctx,
    location: databases.location,
    quotaPerUnit: ctx.options().get('QuotaPerUnit'),
    dryRun: (work) => dryRun(ctx, (trial) => work(localApi(trial, OPERATOR, language))),
    close,
  };
}

/** Services join the open transaction, so rolling it back undoes everything they wrote. */
async function dryRun<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  const takenBack = new Rehearsed<T>();
  try {
    await inTransaction(ctx, async (ctx) => {
      takenBack.answer = { value: await work(ctx) };
      throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  if (takenBack.answer === undefined) throw new Error('a dry run ended without its answer');
  return takenBack.answer.value;
}

class Rehearsed<T> extends Error {
  answer: { readonly value: T } | undefined;
}
