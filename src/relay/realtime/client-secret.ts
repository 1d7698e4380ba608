/**
 * Client secrets: short-lived keys for browsers, valid for Realtime sessions only. Each contains
 * its session's settings, so that no node has to store them. They are encrypted with the site's
 * key, so a holder can neither read the API key inside nor change the settings. Every use is
 * subject to the current limits of that API key.
 */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, objectIn, parseJson, textIn } from '../../json/read-json.ts';
import { authenticate, presentedKey } from '../admission/authenticate.ts';
import { groupsOf } from '../admission/caller-group.ts';
import { admitAddress } from '../admission/rate-limits.ts';
import { readAll } from '../body/read-fields.ts';
import { readSent } from '../call/call-intent.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { checkModel } from '../stages/admit.ts';
import { receive, whileReceived } from '../stages/read.ts';

export const SECRET_PREFIX = 'ek_';

/** The content of a secret. */
export interface Preset {
  readonly key: string;
  readonly model: string;
  readonly session: JsonObject;
  readonly expiresAtSec: number;
}

/** OpenAI's limits and default, in seconds. */
const LIFETIME = { shortest: 10, longest: 7_200, usual: 600 } as const;
/** The secret is sent in a header, and all headers together may have 16 KiB. */
const MAX_SESSION_BYTES = 6 * 1024;
const SEALED = 'v1:';

type SecretPorts = Ports<
  'bodies' | 'callers' | 'credit' | 'ctx' | 'permits' | 'prices' | 'routing'
>;

/** POST /v1/realtime/client_secrets. */
export async function createClientSecret(relay: SecretPorts, incoming: Incoming) {
  const { session, ...secret } = await mint(relay, incoming, (sent) => ({
    session: objectIn(sent, 'session') ?? {},
    lifetime: sent.expires_after,
    field: 'session.model',
  }));
  return { value: secret.value, expires_at: secret.expiresAtSec, session };
}

/** POST /v1/realtime/sessions, the beta's form of client secrets: the body is the session. */
export async function createSession(relay: SecretPorts, incoming: Incoming) {
  const { session, value, expiresAtSec } = await mint(relay, incoming, (sent) => {
    const { client_secret, ...fields } = sent;
    return {
      session: fields,
      lifetime: objectIn({ client_secret }, 'client_secret')?.expires_after,
      field: 'model',
    };
  });
  return { ...session, client_secret: { value, expires_at: expiresAtSec } };
}

interface SecretRequest {
  readonly session: JsonObject;
  readonly lifetime: unknown;
  /** The field that contains the model. */
  readonly field: string;
}

async function mint(
  relay: SecretPorts,
  incoming: Incoming,
  read: (sent: JsonObject) => SecretRequest,
) {
  const caller = await authenticate(relay, incoming);
  admitAddress(caller, incoming);
  groupsOf(relay, caller);
  const received = receive(relay, caller, incoming, MAX_SESSION_BYTES * 4);
  const { sent } = await whileReceived(received, incoming, (whole) => readSent(whole, readAll));
  const { session, lifetime, field } = read(sent);
  const model = textIn(session, 'model');
  if (model === undefined) throw new AppError('field_missing', { field }, { param: field });
  checkModel(caller, { model });
  if (Buffer.byteLength(JSON.stringify(session)) > MAX_SESSION_BYTES)
    throw wrongField('session', 'too_many_bytes', { most: MAX_SESSION_BYTES });
  const expiresAtSec = nowSec(relay.ctx) + lifetimeOf(lifetime);
  const key = presentedKey(incoming);
  const value = seal(relay.ctx, { key, model, session, expiresAtSec });
  const id = `sess_${incoming.requestId}`;
  return { value, expiresAtSec, session: { ...session, id, object: 'realtime.session' } };
}

function lifetimeOf(given: unknown): number {
  if (given === undefined || given === null) return LIFETIME.usual;
  const seconds = isObject(given) ? given.seconds : undefined;
  const isRight =
    Number.isInteger(seconds) &&
    Number(seconds) >= LIFETIME.shortest &&
    Number(seconds) <= LIFETIME.longest;
  if (isRight) return Number(seconds);
  throw wrongField('expires_after.seconds', 'int_out_of_range', {
    least: LIFETIME.shortest,
    most: LIFETIME.longest,
  });
}

/**
 * base64url, because a secret must be valid as a subprotocol, which is a token (RFC 9110 5.6.2).
 */
function seal({ secrets }: Context, preset: Preset): string {
  const sealed = secrets.encrypt(JSON.stringify({ ...preset, use: 'realtime' }));
  return SECRET_PREFIX + Buffer.from(sealed.slice(SEALED.length), 'base64').toString('base64url');
}

/** @throws AppError client_secret_wrong, client_secret_expired. */
export function openClientSecret(ctx: Context, value: string): Preset {
  const preset = unseal(ctx, value);
  if (preset.expiresAtSec <= nowSec(ctx)) throw new AppError('client_secret_expired');
  return preset;
}

function unseal(ctx: Context, value: string): Preset {
  const sealed = Buffer.from(value.slice(SECRET_PREFIX.length), 'base64url').toString('base64');
  const json = parseJson(decrypted(ctx, SEALED + sealed));
  const key = textIn(json, 'key');
  const model = textIn(json, 'model');
  if (!isObject(json) || json.use !== 'realtime' || key === undefined || model === undefined)
    throw new AppError('client_secret_wrong');
  const session = objectIn(json, 'session') ?? {};
  return { key, model, session, expiresAtSec: Number(json.expiresAtSec) };
}

function decrypted({ secrets }: Context, sealed: string): string {
  try {
    return secrets.decrypt(sealed);
  } catch {
    // A forged secret is the client's error, not a problem with the site's key.
    throw new AppError('client_secret_wrong');
  }
}
