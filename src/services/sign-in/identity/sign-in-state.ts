/**
 * State of an external sign-in in progress. It is valid once, for ten minutes, in the browser that
 * started it and for the user signed in at that time: so a sign-in started in one browser cannot be
 * completed in another (RFC 6749, 10.12).
 */
import * as z from 'zod/mini';
import type { Actor, Visit } from '../../../api/call.ts';
import { type Context, nowSec } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import type { IdentityProvider } from '../../../domain/identity-providers.ts';
import {
  consumeSignInState,
  consumeStatesOfBrowser,
  insertSignInState,
  type SignInStateRow,
} from '../../../store/tables/sign-in-states-table.ts';
import { writing } from '../../cluster/announced-write.ts';
import { randomText } from '../../random/random-text.ts';

const STATE_SEC = 600;
const STATE_LENGTH = 32;
const BROWSER_BYTES = 32;
/** Format of `browserKey`: 32 bytes as base64url. */
const BROWSER_KEY = /^[A-Za-z0-9_-]{43}$/;

/** The PKCE verifier and the nonce, which tie the provider's response to this sign-in. */
const Proofs = z.object({ verifier: z.string(), nonce: z.string() });
export type Proofs = z.output<typeof Proofs>;

export interface SignInState {
  /** The user who was signed in at the start, and still is; 0 for none. */
  readonly userId: number;
  /** Absent if the client built the URL of the provider's page itself. */
  readonly proofs: Proofs | undefined;
  readonly affCode: string;
  /** A path of this site, or ''. */
  readonly returnTo: string;
}

export interface NewSignInState {
  /** Absent: any provider may complete the sign-in. */
  readonly provider?: IdentityProvider;
  readonly proofs?: Proofs;
  readonly affCode?: string | undefined;
  readonly returnTo?: string | undefined;
}

/** A browser and its signed-in user. */
export interface Visitor {
  readonly actor: Actor;
  readonly visit: Visit;
}

/** Stores a new state for this browser and returns its text. */
export async function startSignInState(
  ctx: Context,
  visitor: Visitor,
  given: NewSignInState,
): Promise<string> {
  const { visit } = visitor;
  const state = randomText(ctx.random, STATE_LENGTH);
  const browser = browserKey(ctx, visit);
  const row: SignInStateRow = {
    state_hash: ctx.secrets.hash(state),
    browser_hash: ctx.secrets.hash(browser),
    user_id: signedInUser(visitor),
    provider: given.provider ?? '',
    sealed: given.proofs === undefined ? '' : ctx.secrets.encrypt(JSON.stringify(given.proofs)),
    aff_code: given.affCode ?? '',
    return_to: given.returnTo ?? '',
    expires_at: nowSec(ctx) + STATE_SEC,
  };
  await insertSignInState(ctx.db, row);
  visit.cookies.set('sign_in', browser, STATE_SEC);
  return state;
}

/** Shared by all tabs of a browser, so that one tab does not invalidate another's sign-in. */
function browserKey(ctx: Context, visit: Visit): string {
  const kept = visit.cookies.get('sign_in');
  return kept !== undefined && BROWSER_KEY.test(kept)
    ? kept
    : ctx.random(BROWSER_BYTES).toString('base64url');
}

/** The user of this browser's session; 0 for none. An access token does not count as a session. */
function signedInUser({ actor, visit }: Visitor): number {
  return actor.kind === 'user' && visit.via === 'session' ? actor.id : 0;
}

interface ReturnedState {
  readonly provider: IdentityProvider;
  readonly state: string | undefined;
}

/**
 * Uses up the state with which the browser came back.
 * @throws AppError `oauth_state_invalid` when it is unknown, expired, used, of another browser or
 * provider, or another user is signed in by now.
 */
export async function consumeState(
  ctx: Context,
  visitor: Visitor,
  { provider, state }: ReturnedState,
): Promise<SignInState> {
  const row = await writing(ctx, (ctx) =>
    consumeSignInState(ctx.db, ctx.secrets.hash(state ?? '')),
  );
  return readState(
    ctx,
    row !== undefined && isForVisitor(ctx, visitor, provider, row) ? row : undefined,
  );
}

/**
 * As `consumeState`, for calls whose protocol has no state: then any valid state of this browser is
 * accepted.
 * @throws AppError `oauth_state_invalid`.
 */
export async function consumeStateOrAny(
  ctx: Context,
  visitor: Visitor,
  { provider, state }: ReturnedState,
): Promise<SignInState> {
  if (state) return consumeState(ctx, visitor, { provider, state });
  const hash = ctx.secrets.hash(visitor.visit.cookies.get('sign_in') ?? '');
  const rows = await writing(ctx, (ctx) => consumeStatesOfBrowser(ctx.db, hash));
  return readState(
    ctx,
    rows.find((row) => isForVisitor(ctx, visitor, provider, row)),
  );
}

function isForVisitor(
  ctx: Context,
  visitor: Visitor,
  provider: IdentityProvider,
  row: SignInStateRow,
): boolean {
  const browser = visitor.visit.cookies.get('sign_in');
  return (
    browser !== undefined &&
    row.browser_hash === ctx.secrets.hash(browser) &&
    row.expires_at > nowSec(ctx) &&
    row.user_id === signedInUser(visitor) &&
    (row.provider === '' || row.provider === provider)
  );
}

function readState(ctx: Context, row: SignInStateRow | undefined): SignInState {
  if (row === undefined) throw new AppError('oauth_state_invalid', {}, { param: 'state' });
  const proofs =
    row.sealed === '' ? undefined : Proofs.parse(JSON.parse(ctx.secrets.decrypt(row.sealed)));
  return {
    userId: row.user_id,
    proofs,
    affCode: row.aff_code,
    returnTo: row.return_to,
  };
}
