/** The models.dev catalogue: its prices, as the gateway reads them, and its facts about models. */
import { definedFields } from '../../../../src/domain/defined-fields.ts';
import { isFields, type JsonFields } from '../../../../src/domain/json-fields.ts';
import type { Modality } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { readModelsDev } from '../../../../src/domain/pricing/price-file/models-dev.ts';
import { positive } from '../../../../src/domain/pricing/price-file/offer.ts';
import type { CatalogueOffer, Facts } from '../source-model.ts';

export function readModelsDevFacts(file: JsonFields): readonly CatalogueOffer[] {
  return (readModelsDev(file) ?? []).map((offer) => {
    const models = fieldsIn(fieldsIn(file, offer.provider), 'models');
    return { ...offer, ...factsOf(fieldsIn(models, offer.name)) };
  });
}

const WHOLE_DATE = /^\d{4}-\d{2}-\d{2}$/;

function factsOf(model: JsonFields): Facts & Pick<CatalogueOffer, 'is_open'> {
  const limit = fieldsIn(model, 'limit');
  const { release_date: released } = model;
  return definedFields({
    takes: modalities(model, 'input'),
    gives: modalities(model, 'output'),
    context: positive(limit.context),
    output_limit: positive(limit.output),
    released: typeof released === 'string' && WHOLE_DATE.test(released) ? released : undefined,
    is_open: model.open_weights === true ? (true as const) : undefined,
  });
}

function fieldsIn(value: JsonFields, name: string): JsonFields {
  const found = value[name];
  return isFields(found) ? found : {};
}

const MODALITIES: readonly Modality[] = ['text', 'image', 'audio', 'video', 'pdf'];

function modalities(model: JsonFields, side: 'input' | 'output'): readonly Modality[] | undefined {
  const listed = fieldsIn(model, 'modalities')[side];
  return Array.isArray(listed) ? MODALITIES.filter((one) => listed.includes(one)) : undefined;
}
