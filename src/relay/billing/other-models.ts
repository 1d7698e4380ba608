/** Models that a call uses beside its own: an advisor that a tool names, and their charges. */
import { AppError } from '../../domain/errors/errors.ts';
import { type FurtherUse, furtherUses, NO_FURTHER } from '../../domain/pricing/further-uses.ts';
import { type HoldInput, holdOf } from '../../domain/pricing/hold.ts';
import { limitsOfModel } from '../../domain/pricing/model-limits.ts';
import { toolModelsOf } from '../../domain/pricing/paid-fields.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Ended } from '../call/call-end.ts';
import type { Intent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { noChannel } from '../routing/no-channel.ts';
import { knownPrice, priceFor } from './call-price.ts';

/**
 * Each model that a tool names must be one that the caller may call, and have a price.
 * @throws AppError model_denied, model_unknown, channel_none, price_missing.
 */
export function refuseToolModels(
  relay: Ports<'ctx' | 'prices' | 'routing'>,
  caller: Caller,
  { body }: Pick<Intent, 'body'>,
): void {
  for (const { field, model } of toolModelsOf(body)) {
    const { models } = caller.token;
    if (models !== undefined && !models.has(model))
      throw new AppError('model_denied', { model }, { param: field });
    if (relay.routing.candidates(caller.group, model).length === 0)
      throw noChannel(relay, { group: caller.group, model });
    priceFor(relay, caller, { requested: model, upstream: model, channel: undefined });
  }
}

/** The most that the models of tools may add; each reads the conversation and its answer so far. */
export function toolModelUnits(
  relay: Ports<'ctx' | 'prices'>,
  { caller, intent }: Pick<Admitted, 'caller' | 'intent'>,
  { promptTokens, maxTokens = 0 }: HoldInput,
  groupRatio: number,
): number {
  const options = relay.ctx.options();
  const { quotaPerUnit } = relay.prices();
  let sum = 0;
  for (const { model, uses, maxTokens: own } of toolModelsOf(intent.body)) {
    const price = priceFor(relay, caller, {
      requested: model,
      upstream: model,
      channel: undefined,
    });
    const { output } = limitsOfModel(
      [model],
      options.get('ModelOutputLimits'),
      options.get('SyncedRates'),
    );
    const read = (promptTokens + maxTokens) * uses;
    const use = { promptTokens: read, maxTokens: own ?? output, answers: uses };
    // All charges are rounded together, and these holds apart.
    sum += holdOf(price, groupRatio, use, quotaPerUnit) + 1;
  }
  return sum;
}

/** The further passes of an answer with their prices. */
export function furtherOf(relay: Ports<'ctx' | 'prices'>, end: Ended): readonly FurtherUse[] {
  const { usage, call } = end;
  const { channel, price } = call.route;
  if (price === undefined || usage?.further === undefined) return NO_FURTHER;
  return furtherUses(usage, price, (model) =>
    knownPrice(relay, call.caller, { requested: model, upstream: model, channel }),
  );
}
