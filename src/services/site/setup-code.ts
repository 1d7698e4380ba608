/**
 * The one-time code for a set-up over HTTP: it proves access to the output of `gateway serve`, so that
 * finding the open port first is not enough to create the root account. It lives in the database, so
 * every node accepts it, and is deleted once the site is set up.
 */
import { timingSafeEqual } from 'node:crypto';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { inTx } from '../../store/connection/transaction.ts';
import {
  addSetupCode,
  dropSetupCode,
  giveBackSetupAttempt,
  type SetupCodeRow,
  setupCode,
  takeSetupAttempt,
} from '../../store/tables/setup-codes-table.ts';
import { isSetUp } from './setup-state.ts';

const CODE_BYTES = 18;
/** Wrong codes after which this one is void; the next `gateway serve` makes another. */
const MOST_ATTEMPTS = 10;

/**
 * Where a browser sets this site up; undefined when it is set up already. The code stands in the
 * fragment, which browsers send to no server: no access log and no `Referer` holds it.
 */
export async function setupLink(ctx: Context, baseUrl: string): Promise<string | undefined> {
  if (await isSetUp(ctx.reads)) return undefined;
  const row = await setupCode(ctx.db);
  const code = usableCode(ctx, row) ?? (await freshCode(ctx, row));
  return `${baseUrl}/setup#code=${code}`;
}

/** The code that other nodes print too; undefined when there is none, or it is void. */
function usableCode(ctx: Context, row: SetupCodeRow | undefined): string | undefined {
  if (row === undefined || row.attempts >= MOST_ATTEMPTS) return undefined;
  try {
    return ctx.secrets.decrypt(row.code_cipher);
  } catch {
    // Sealed with a secret key that is lost: nobody can use it any more.
    return undefined;
  }
}

/** Takes the place of the void row only: another process may have done so in between. */
async function freshCode(ctx: Context, old: SetupCodeRow | undefined): Promise<string> {
  const code = ctx.random(CODE_BYTES).toString('base64url');
  await inTx(ctx, async (ctx) => {
    if (old !== undefined) await dropSetupCode(ctx.db, old.code_cipher);
    await addSetupCode(ctx.db, ctx.secrets.encrypt(code), nowSec(ctx));
  });
  return usableCode(ctx, await setupCode(ctx.db)) ?? code;
}

/**
 * Each attempt is counted for good before the code is compared, so that many at once are not more
 * guesses than one after the other.
 * @throws AppError setup_code_wrong; setup_code_void after too many wrong ones, or when none was made.
 */
export async function requireSetupCode(ctx: Context, given: string): Promise<void> {
  if (given === '') throw new AppError('setup_code_wrong', {}, { param: 'code' });
  if (!(await inTx(ctx, (ctx) => takeSetupAttempt(ctx.db, MOST_ATTEMPTS))))
    throw new AppError('setup_code_void', {}, { param: 'code' });
  const row = await setupCode(ctx.db);
  if (row === undefined || !isSame(ctx, ctx.secrets.decrypt(row.code_cipher), given))
    throw new AppError('setup_code_wrong', {}, { param: 'code' });
  await inTx(ctx, (ctx) => giveBackSetupAttempt(ctx.db));
}

/** Hashes have one length, and comparing them tells nothing of where the texts differ. */
function isSame({ secrets }: Pick<Context, 'secrets'>, code: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(secrets.hash(code)), Buffer.from(secrets.hash(given)));
}
