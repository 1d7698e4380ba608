/** What becomes of a call for one model, as the form stands: the gateway's own rules on its values. */
import { mapModel } from '../../../../../src/domain/channels/model-names.ts';
import { flatMapOf } from '../../../components/forms/json-problems.ts';
import type { ChannelValues } from './channel-form.ts';

export interface RequestPreview {
  /** What clients write: the prefix is part of the name. */
  readonly asked: string;
  /** What the upstream is asked for; undefined when the mapping runs in a circle. */
  readonly sent: string | undefined;
  readonly overrides: readonly string[];
  readonly hasSystemPrompt: boolean;
}

export function previewOf(values: ChannelValues, model: string): RequestPreview {
  const asked = values.model_prefix.trim() + model;
  const mapping = Object.fromEntries(
    Object.entries(flatMapOf(values.model_mapping) ?? {}).map(([from, to]) => [from, String(to)]),
  );
  return {
    asked,
    sent: mapModel(mapping, asked, model),
    overrides: overridesOf(values.param_override),
    hasSystemPrompt: values.system_prompt.trim() !== '',
  };
}

function overridesOf(text: string): string[] {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return [];
    return Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  } catch {
    return [];
  }
}
