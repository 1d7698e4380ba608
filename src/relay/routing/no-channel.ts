/**
 * The error when no channel is available: the group does not offer the model, or all of its
 * channels are out of service.
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Retry-After for a model whose channels are all out of service. */
const RETRY_AFTER_SEC = 30;

export function noChannel(
  { routing }: Ports<'routing'>,
  { group, model }: { readonly group: string; readonly model: string },
): AppError {
  if (!routing.offers(group, model))
    return new AppError('model_unknown', { model }, { param: 'model' });
  const advice = { param: 'model', retryAfterSec: RETRY_AFTER_SEC };
  return new AppError('channel_none', { group, model }, advice);
}
