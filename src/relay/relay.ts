/**
 * A model call from key to bill, as a straight line of stages. Each stage may refuse by throwing;
 * whatever happens, what was held is released or settled exactly once.
 */
import { AppError } from '../domain/errors.ts';
import { admit } from './admit.ts';
import { answerFromSomeChannel } from './answer.ts';
import { authenticate, type Caller } from './authenticate.ts';
import type { Incoming, Outgoing } from './incoming.ts';
import { headerOf } from './incoming.ts';
import { type Intent, readIntent } from './intent.ts';
import { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';
import { textsOf } from './sensitive-words.ts';

/** @throws AppError, UpstreamFailure, ClientLeft: `openAiErrorOf` gives them their form. */
export async function relayCall(relay: Relay, incoming: Incoming): Promise<Outgoing> {
  refuseExtensions(relay, incoming);
  const caller = await authenticate(relay, incoming);
  const countSuccess = await admit(relay, caller, incoming);
  const intent = await readIntent(incoming, relay.ctx.config.maxBodyMb * 1024 * 1024);
  checkGroup(relay, caller);
  checkModel(caller, intent);
  checkWords(relay, caller, intent);
  return answerFromSomeChannel(relay, new CallRecord(incoming, caller, intent), countSuccess);
}

function refuseExtensions(relay: Relay, incoming: Incoming): void {
  if (!relay.ctx.options().get('global.block_browser_extension_enabled')) return;
  const origin = headerOf(incoming.headers, 'origin');
  if (origin.includes('extension') && origin.includes('://'))
    throw new AppError('extension_blocked');
}

/** @throws AppError token_group_denied, group_retired. */
export function checkGroup(relay: Relay, { token, user, group }: Caller): void {
  const options = relay.ctx.options();
  const isUsable = group === user.group || Object.hasOwn(options.get('UserUsableGroups'), group);
  if (token.group !== '' && !isUsable) throw new AppError('token_group_denied', { group });
  if (!Object.hasOwn(options.get('GroupRatio'), group))
    throw new AppError('group_retired', { group });
}

/** A call that names its channel is not bound to the token's models: only admins can name one. */
function checkModel({ token, pinned }: Caller, { model }: Intent): void {
  if (pinned !== '' || token.models === undefined || token.models.has(model)) return;
  throw new AppError('model_denied', { model }, { param: 'model' });
}

function checkWords(relay: Relay, { group }: Caller, { body }: Intent): void {
  const options = relay.ctx.options();
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled'))
    return;
  const isExempt =
    options.get('global.safe_check_exempt_enabled') &&
    group === options.get('global.safe_check_exempt_group');
  if (isExempt) return;
  const words = relay.words();
  for (const text of textsOf(body)) {
    if (words.find(text) !== undefined) throw new AppError('sensitive_words');
  }
}
