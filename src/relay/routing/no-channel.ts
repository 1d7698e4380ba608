/** Why no channel can be asked: the group has no such model, or none of its channels is in service. */
import { AppError } from '../../domain/errors/errors.ts';
import type { Relay } from '../pipeline/relay-context.ts';

/** When a client may ask again for a model whose channels are all out of service. */
const RETRY_AFTER_SEC = 30;

export function noChannel(
  { routing }: Pick<Relay, 'routing'>,
  { group, model }: { readonly group: string; readonly model: string },
): AppError {
  if (!routing.offers(group, model))
    return new AppError('model_unknown', { model }, { param: 'model' });
  const advice = { param: 'model', retryAfterSec: RETRY_AFTER_SEC };
  return new AppError('channel_none', { group, model }, advice);
}
