/** Previews a call for one model with the unsaved form, using the gateway's own rules. */

import { mapModel, unlistedAliases } from '../../../../../src/domain/channels/model-names.ts';
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
import { readFlatMap } from '../../../components/forms/json-problems.ts';
import type { ChannelValues } from './channel-form.ts';

export interface RequestPreview {
  /** The name clients send, including the prefix. */
  readonly requested: string;
  /** The model sent to the upstream; undefined if the mapping is circular. */
  readonly sent: string | undefined;
  readonly overrides: readonly string[];
  readonly hasSystemPrompt: boolean;
}

export function requestPreview(values: ChannelValues, model: string): RequestPreview {
  const requested = values.model_prefix.trim() + model;
  const mapping = Object.fromEntries(
    Object.entries(readFlatMap(values.model_mapping) ?? {}).map(([from, to]) => [from, String(to)]),
  );
  return {
    requested,
    sent: mapModel(mapping, requested, model),
    overrides: overridesOf(values.param_override),
    hasSystemPrompt: values.system_prompt.trim() !== '',
  };
}

function overridesOf(text: string): string[] {
  const fields = parseJson(text);
  if (!isObject(fields)) return [];
  return Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}

type Mapped = Pick<ChannelValues, 'models' | 'model_mapping' | 'model_prefix'>;

/** Names replaced by the mapping of the form, which only work if the channel also offers them. */
export function unservedAliases({ models, model_mapping, model_prefix }: Mapped): string[] {
  return unlistedAliases({
    models,
    mapping: readFlatMap(model_mapping) ?? {},
    prefix: model_prefix,
  });
}
