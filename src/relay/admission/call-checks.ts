/** Checks of a call that need its key, and of its model and texts once its body is read. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Intent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import { headerOf, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { textsOf } from './sensitive-words.ts';

/** @throws AppError extension_blocked. */
export function refuseExtensions(relay: Ports<'ctx'>, incoming: Incoming): void {
  if (!relay.ctx.options().get('global.block_browser_extension_enabled')) return;
  const origin = headerOf(incoming.headers, 'origin');
  if (origin.includes('extension') && origin.includes('://'))
    throw new AppError('extension_blocked');
}

/**
 * A call that pins its channel is exempt from the token's model list, because only administrators
 * can pin one.
 */
export function checkModel({ token, pinned }: Caller, { model }: Pick<Intent, 'model'>): void {
  if (pinned !== '' || token.models === undefined || token.models.has(model)) return;
  throw new AppError('model_denied', { model }, { param: 'model' });
}

/** @throws AppError sensitive_words. */
export function checkWords(
  relay: Ports<'ctx' | 'sensitiveWords'>,
  { group }: Pick<Caller, 'group'>,
  { body }: Pick<Intent, 'body'>,
): Awaitable<void> {
  const options = relay.ctx.options();
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled'))
    return;
  const isExempt =
    options.get('global.safe_check_exempt_enabled') &&
    group === options.get('global.safe_check_exempt_group');
  if (isExempt) return;
  const found = relay.sensitiveWords().find(textsOf(body));
  return found instanceof Promise ? found.then(refuseWord) : refuseWord(found);
}

function refuseWord(found: string | undefined): void {
  if (found !== undefined) throw new AppError('sensitive_words');
}
