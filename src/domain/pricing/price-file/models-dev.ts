/** The models.dev catalogue (`api.json`): providers and models, costs in USD per million tokens. */
import { isFields, type JsonFields } from '../../json-fields.ts';
import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import { knownRates, type Offer, pricedVariants } from './offer.ts';
import { amountOf } from './row.ts';

/** Undefined if the file is not such a catalogue. */
export function readModelsDev(file: JsonFields): readonly Offer[] | undefined {
  const providers = Object.entries(file).map(([id, facts]) => [id, modelsOf(facts)] as const);
  if (providers.length === 0 || providers.some(([, models]) => models === undefined))
    return undefined;
  return providers.flatMap(([provider, models]) =>
    Object.entries(models ?? {}).map(([name, facts]) =>
      offerOf(provider, name, isFields(facts) ? facts : {}),
    ),
  );
}

function modelsOf(provider: unknown): JsonFields | undefined {
  return isFields(provider) && isFields(provider.models) ? provider.models : undefined;
}

function offerOf(provider: string, name: string, facts: JsonFields): Offer {
  const cost = fieldsIn(facts, 'cost');
  return {
    provider,
    name,
    rates: costRates(cost),
    variants: pricedVariants([...longPrompts(cost), ...tierVariants(facts)]),
  };
}

function fieldsIn(facts: JsonFields, name: string): JsonFields {
  const value = facts[name];
  return isFields(value) ? value : {};
}

/** USD per million tokens. */
function costRates(cost: JsonFields): Rates {
  return knownRates({
    input: amountOf(cost.input),
    output: amountOf(cost.output),
    cache_read: amountOf(cost.cache_read),
    cache_write: amountOf(cost.cache_write),
    audio_input: amountOf(cost.input_audio),
    audio_output: amountOf(cost.output_audio),
  });
}

function longPrompts({ tiers }: JsonFields): readonly RateVariant[] {
  const steps = Array.isArray(tiers) ? tiers.filter(isFields) : [];
  return steps.flatMap((step) => {
    const { type, size } = isFields(step.tier) ? step.tier : {};
    return type === 'context' && typeof size === 'number'
      ? [{ when: { prompt_above: size }, rates: costRates(step) }]
      : [];
  });
}

/** Modes that a request selects by a service tier or a speed. */
function tierVariants(facts: JsonFields): readonly RateVariant[] {
  const modes = Object.values(fieldsIn(fieldsIn(facts, 'experimental'), 'modes')).filter(isFields);
  return modes.flatMap((mode) => {
    const { service_tier, speed } = fieldsIn(fieldsIn(mode, 'provider'), 'body');
    const tier = service_tier ?? speed;
    return typeof tier === 'string' && isFields(mode.cost)
      ? [{ when: { tier }, rates: costRates(mode.cost) }]
      : [];
  });
}
