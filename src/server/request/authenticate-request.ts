/**
 * Authenticates management calls: by browser session, otherwise by access token. The account is
 * read at every call, so changes to it take effect at once.
 */
import type { FastifyRequest } from 'fastify';
import type { Actor, Call, Visit } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { actorOfAccessToken, actorOfSession } from '../../services/credentials/sessions.ts';
import { cookieOf } from './cookies.ts';

type UserActor = Extract<Actor, { kind: 'user' }>;

export interface AuthenticatedRequest {
  readonly actor: UserActor;
  readonly via: Exclude<Visit['via'], 'terminal'>;
}

const GUEST: AuthenticatedRequest = {
  actor: { kind: 'user', id: 0, role: 0, group: '' },
  via: 'anonymous',
};

/**
 * Our header and two that existing clients of compatible gateways send: optional, but if present
 * they must name the authenticated user.
 */
const USER_HEADERS = ['gateway-user', 'new-api-user', 'veloera-user'];

/**
 * Calls open to guests are never refused: an unknown caller counts as a guest.
 * @throws AppError not_signed_in, access_token_invalid, account_banned, user_header_wrong,
 * permission_denied, session_only.
 */
export async function authenticateRequest(
  ctx: Context,
  request: FastifyRequest,
  call: Call,
): Promise<AuthenticatedRequest> {
  if (call.role === 0) return await authenticatedOrGuest(ctx, request).catch(asGuest);
  const authenticated = await authenticatedOrGuest(ctx, request);
  if (authenticated.via === 'anonymous') throw new AppError('not_signed_in');
  if (call.sessionOnly && authenticated.via !== 'session') throw new AppError('session_only');
  if (authenticated.actor.role < call.role) throw new AppError('permission_denied');
  return authenticated;
}

/** @throws AppError `not_signed_in` unless the browser has a valid session. */
export async function sessionActor(ctx: Context, request: FastifyRequest): Promise<UserActor> {
  const { actor, via } = await authenticatedOrGuest(ctx, request);
  if (via !== 'session') throw new AppError('not_signed_in');
  return actor;
}

async function authenticatedOrGuest(
  ctx: Context,
  request: FastifyRequest,
): Promise<AuthenticatedRequest> {
  const asker = (await bySession(ctx, request)) ?? (await byAccessToken(ctx, request)) ?? GUEST;
  if (asker !== GUEST) requireSameUser(request, asker.actor.id);
  return asker;
}

async function bySession(
  ctx: Context,
  request: FastifyRequest,
): Promise<AuthenticatedRequest | undefined> {
  const cookie = cookieOf(request, 'session');
  const actor = cookie === undefined ? undefined : await actorOfSession(ctx, cookie);
  return actor && { actor, via: 'session' };
}

async function byAccessToken(
  ctx: Context,
  request: FastifyRequest,
): Promise<AuthenticatedRequest | undefined> {
  const token = accessTokenIn(request);
  if (token === '') return undefined;
  return { actor: await actorOfAccessToken(ctx, token), via: 'access_token' };
}

/** Schemes that browsers send on their own once they know a password (RFC 9110 11.6). */
const SENT_BY_BROWSERS = /^(basic|digest|negotiate|ntlm)\b/iu;

/** The access token sent by a program; '' if there is none. */
export function accessTokenIn({ headers }: FastifyRequest): string {
  const { authorization = '' } = headers;
  if (SENT_BY_BROWSERS.test(authorization)) return '';
  return authorization.replace(/^Bearer\s+/iu, '').trim();
}

function requireSameUser({ headers }: FastifyRequest, id: number): void {
  for (const header of USER_HEADERS) {
    const value = headers[header];
    if (value !== undefined && value !== String(id))
      throw new AppError('user_header_wrong', { header });
  }
}

function asGuest(error: unknown): AuthenticatedRequest {
  if (error instanceof AppError) return GUEST;
  throw error;
}
