/** The templates inserted into JSON fields by "Insert template". */

import type { ChannelColumnName } from '../../../../../../src/domain/nouns/channel.ts';
import type { JsonEditorProps } from '../../../../components/forms/JsonEditor.tsx';

const json = (value: object) => JSON.stringify(value, null, 2);

export const MAPPING_TEMPLATE = json({ 'gpt-4o': 'gpt-4o-2024-11-20' });
const STATUS_TEMPLATE = json({ '400': 500, '403': 503 });
const OVERRIDE_TEMPLATE = json({ temperature: 0 });
const SETTING_TEMPLATE = json({
  proxy: '',
  force_format: false,
  thinking_to_content: false,
  pass_through_body: false,
  chat_only: false,
});
const COST_TEMPLATE = json({
  factor: 0.8,
  rates: { 'gpt-4o': { input: 2, output: 8 } },
});
export const REGION_TEMPLATE = json({ default: 'us-central1', 'claude-sonnet-5-5': 'us-east5' });

type Template = Pick<JsonEditorProps, 'template' | 'hasTable'>;

export const TEMPLATES: Readonly<Partial<Record<ChannelColumnName, Template>>> = {
  model_mapping: { template: MAPPING_TEMPLATE, hasTable: true },
  status_code_mapping: { template: STATUS_TEMPLATE, hasTable: true },
  param_override: { template: OVERRIDE_TEMPLATE, hasTable: true },
  setting: { template: SETTING_TEMPLATE },
  cost: { template: COST_TEMPLATE },
};
