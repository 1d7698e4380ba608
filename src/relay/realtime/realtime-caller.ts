/**
 * Authenticates the caller of a Realtime session. Browsers cannot set headers, so they send the key
 * as a subprotocol.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { authenticate, presentedKey } from '../admission/authenticate.ts';
import { inServingGroup } from '../admission/caller-group.ts';
import { admitAddress } from '../admission/rate-limits.ts';
import type { Caller } from '../call/caller.ts';
import { headerOf, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { checkModel } from '../stages/admit.ts';
import { openClientSecret, type Preset, SECRET_PREFIX } from './client-secret.ts';

const KEY_PROTOCOL = 'openai-insecure-api-key.';

/** The call with its key moved to the usual header, and the settings of a client secret. */
export interface PresentedCredentials {
  readonly call: Incoming;
  readonly model: string;
  readonly preset: Preset | undefined;
}

/** @throws AppError client_secret_wrong, client_secret_expired, field_missing. */
export function readPresented(relay: Ports<'ctx'>, incoming: Incoming): PresentedCredentials {
  const call = withProtocolKey(incoming);
  const key = presentedKey(call);
  const preset = key.startsWith(SECRET_PREFIX) ? openClientSecret(relay.ctx, key) : undefined;
  const model = incoming.query.model || incoming.query.deployment || preset?.model || '';
  if (model === '') throw new AppError('field_missing', { field: 'model' }, { param: 'model' });
  if (preset === undefined) return { call, model, preset };
  if (model !== preset.model) throw new AppError('model_denied', { model }, { param: 'model' });
  return { call: withKey(call, preset.key), model, preset };
}

function withProtocolKey(incoming: Incoming): Incoming {
  const offered = headerOf(incoming.headers, 'sec-websocket-protocol').split(',');
  const holder = offered.map((text) => text.trim()).find((text) => text.startsWith(KEY_PROTOCOL));
  return holder === undefined || presentedKey(incoming) !== ''
    ? incoming
    : withKey(incoming, holder.slice(KEY_PROTOCOL.length));
}

function withKey(incoming: Incoming, key: string): Incoming {
  return { ...incoming, headers: { ...incoming.headers, authorization: `Bearer ${key}` } };
}

/**
 * The caller, if the key may (still) be used for this model.
 * @throws errors of `authenticate`, and AppError address_denied, token_group_denied, model_denied.
 */
export async function callerOf(
  relay: Ports<'callers' | 'ctx' | 'routing'>,
  { call, model }: Pick<PresentedCredentials, 'call' | 'model'>,
): Promise<Caller> {
  const known = await authenticate(relay, call);
  admitAddress(known, call);
  const caller = await inServingGroup(relay, known, model);
  checkModel(caller, { model });
  return caller;
}
