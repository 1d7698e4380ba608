/**
 * The one-time code for a set-up over HTTP: it proves access to the output of `gateway serve`, so
 * that finding the open port first is not enough to create the root account. It is stored in the
 * database, so every node accepts it, and is deleted once the site is set up.
 */
import { timingSafeEqual } from 'node:crypto';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  countSetupAttempt,
  deleteSetupCode,
  insertSetupCode,
  type SetupCodeRow,
  setupCode,
  uncountSetupAttempt,
} from '../../store/tables/setup-codes-table.ts';
import { isSetUp } from './setup-state.ts';

const CODE_BYTES = 18;
/** Wrong attempts after which the code is void; the next `gateway serve` creates another. */
const MAX_ATTEMPTS = 10;

/**
 * URL for the set-up in a browser; undefined when the site is set up already. The code is in the
 * fragment, which browsers do not send to servers: it appears in no access log or `Referer`.
 */
export async function setupLink(ctx: Context, baseUrl: string): Promise<string | undefined> {
  if (await isSetUp(ctx.reads)) return undefined;
  const row = await setupCode(ctx.db);
  const code = usableCode(ctx, row) ?? (await freshCode(ctx, row));
  return `${baseUrl}/setup#code=${code}`;
}

/** The code that all nodes print; undefined when there is none, or it is void. */
function usableCode(ctx: Context, row: SetupCodeRow | undefined): string | undefined {
  if (row === undefined || row.attempts >= MAX_ATTEMPTS) return undefined;
  try {
    return ctx.secrets.decrypt(row.code_cipher);
  } catch {
    // Encrypted with a lost secret key: the code is unusable.
    return undefined;
  }
}

/** Replaces only the void row: another process may have replaced it in between. */
async function freshCode(ctx: Context, old: SetupCodeRow | undefined): Promise<string> {
  const code = ctx.random(CODE_BYTES).toString('base64url');
  await inTransaction(ctx, async (ctx) => {
    if (old !== undefined) await deleteSetupCode(ctx.db, old.code_cipher);
    await insertSetupCode(ctx.db, ctx.secrets.encrypt(code), nowSec(ctx));
  });
  return usableCode(ctx, await setupCode(ctx.db)) ?? code;
}

/**
 * Each attempt is counted and committed before the code is compared, so that concurrent attempts
 * gain no extra guesses.
 * @throws AppError setup_code_wrong; setup_code_void after too many wrong attempts, or when there
 * is no code.
 */
export async function requireSetupCode(ctx: Context, given: string): Promise<void> {
  if (given === '') throw new AppError('setup_code_wrong', {}, { param: 'code' });
  if (!(await inTransaction(ctx, (ctx) => countSetupAttempt(ctx.db, MAX_ATTEMPTS))))
    throw new AppError('setup_code_void', {}, { param: 'code' });
  const row = await setupCode(ctx.db);
  if (row === undefined || !isSame(ctx, ctx.secrets.decrypt(row.code_cipher), given))
    throw new AppError('setup_code_wrong', {}, { param: 'code' });
  await inTransaction(ctx, (ctx) => uncountSetupAttempt(ctx.db));
}

/** Hashes have equal length, and comparing them reveals nothing about where the texts differ. */
function isSame({ secrets }: Pick<Context, 'secrets'>, code: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(secrets.hash(code)), Buffer.from(secrets.hash(given)));
}
